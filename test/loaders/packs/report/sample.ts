import type { AgendaItem, ReportFigures } from '../../../../loaders/packs/report/figures.ts'

/** An agenda item that begins at 09:00 UTC. */
export const ITEM: AgendaItem = {
  uniqueId: '1',
  name: 'Opening',
  startTime: '2031-05-04T09:00:00Z',
  endTime: '2031-05-04T10:00:00Z',
  location: 'North',
  timeZone: null,
  action: null,
}

/**
 * How many items, fields and runs a sample report contains. Without other numbers, the sample report is
 * small.
 */
export interface Amounts {
  readonly changedItems?: number
  readonly fieldsOfItem?: number
  readonly agendaItems?: number
  readonly rejections?: number
  readonly quarantined?: number
  readonly runs?: number
}

/**
 * Returns the figures of a run in which everything went wrong. All texts of the source in the report are
 * replaced by texts of the test.
 *
 * @param next a function that returns the next text of the test
 */
export function figuresWith(next: () => string, amounts: Amounts = {}): ReportFigures {
  const { changedItems = 2, fieldsOfItem = 2, agendaItems = 4 } = amounts
  const { rejections = 2, quarantined = 2, runs = 3 } = amounts
  const list = <Row>(length: number, make: (index: number) => Row) =>
    Array.from({ length }, (_, index) => make(index))
  const place = (type: string) => ({ type, url: next(), eventId: next() })
  const changes = { create: 2, update: 1, remove: 1, unchanged: 3 }
  const records = [
    ['read', 10n, 11n],
    ['staged', 7n, 7n],
    ['repeated', 2n, null],
    ['quarantined', 1n, null],
    ['unseen', 1n, null],
    ['control_total', 5n, 5n],
  ] as const
  const items = [
    ['records', 11n, 11n],
    ['excluded:bad_time', 1n, null],
    ['excluded:duplicate_id', 2n, null],
    [`excluded:missing_required:${next()}`, 1n, null],
    ['quarantined', 1n, null],
    ['synced', 6n, 6n],
    ['created', 1n, null],
    ['updated', 1n, null],
    ['unchanged', 3n, null],
    ['failed', 1n, null],
    ['removed', 1n, null],
    ['removals_failed', 1n, null],
    ['removals_withheld', 1n, null],
    ['kept', 1n, null],
    ['live', 7n, 7n],
    ['platform', 8n, 7n],
  ] as const
  return {
    integrationId: 'summit',
    runId: '01a1fda0-0000-7000-8000-000000000009',
    contents: ['agenda', 'attendees', 'speakers'],
    run: {
      rollbackTo: null,
      productVersion: '0.0.0',
      startedAt: '2031-05-01T08:00:00.000Z',
      startedBy: next(),
      appliedAt: '2031-05-01T08:01:00.000Z',
      finishedAt: '2031-05-01T08:01:05.000Z',
      approvedBy: next(),
      approvedAt: '2031-05-01T08:00:59.000Z',
      configHash: 'ab'.repeat(32),
      planHash: 'cd'.repeat(32),
      certified: false,
      held: { guard: 'removals', detail: next() },
      counts: {
        changes: { agenda: changes, speakers: changes, attendees: changes },
        excluded: {},
        quarantined: 1,
        kept: 1,
        failed: 2,
        withheld: 1,
        notes: [next()],
      },
      source: place('b'),
      platform: place('http'),
      eventName: null,
      silencedHints: [],
      timeZone: 'Europe/Berlin',
    },
    personalData: 'full',
    files: [{ name: 'changes.csv', rows: 12_345, bytes: 1_234_567, sha256: '00' }],
    figures: [
      ...['sessions', 'users'].flatMap((resource) =>
        records.map(([measure, count, expected]) => {
          return { content: '' as const, resource, measure, count, expected }
        }),
      ),
      ...(['agenda', 'speakers', 'attendees'] as const).flatMap((content) =>
        items.map(([measure, count, expected]) => {
          return { content, resource: content === 'agenda' ? 'sessions' : 'users', measure, count, expected }
        }),
      ),
    ],
    certificates: ['sessions', 'users'].map((resource) => ({
      resource,
      certified: resource === 'users',
      requests: 3,
      attempts: 3,
      bytes: 1000,
      elements: 10,
      distinctIds: 7,
      declared: null,
      end: 'overlap',
      detail: resource === 'users' ? '' : next(),
      confirmed: resource === 'users',
    })),
    quarantined: {
      total: 70,
      rows: list(quarantined, () => {
        return { resource: 'users', sourceId: next(), path: next(), detail: next() }
      }),
    },
    rejected: {
      total: 200,
      rows: list(rejections, (index) => {
        const to = { seq: index + 1, content: 'agenda', op: 'upsert' } as const
        return { ...to, uniqueId: next(), code: next(), detail: 'planned again by the next run' }
      }),
    },
    missing: [
      {
        todo: 'Correct the record at the source.',
        count: 70,
        rows: list(3, () => ({ content: 'attendees', id: next(), name: next(), why: next() })),
      },
      { todo: 'Nothing, if they do not speak.', count: 1, rows: [] },
    ],
    changes: {
      total: 12_345,
      rows: list(changedItems, () => ({
        content: 'agenda',
        uniqueId: next(),
        action: 'update',
        reason: '',
        label: next(),
        fields: list(fieldsOfItem, () => ({ name: 'description', before: next(), after: next() })),
      })),
    },
    agenda: {
      total: agendaItems,
      rows: list(agendaItems, (index) => ({
        ...ITEM,
        uniqueId: next(),
        name: next(),
        location: index % 4 === 3 ? null : next(),
        action: index % 3 === 0 ? 'update' : null,
      })),
    },
    growth: list(runs, (index) => ({
      runId: `01a1fda0-0000-7000-8000-00000000000${index}`,
      finishedAt: `2031-04-0${index + 1}T08:00:00.000Z`,
      items: { agenda: index, speakers: 2 * index, attendees: 1000 },
    })),
  }
}

/** Returns the tags of a page with their attributes, without the text between them. */
export function tagsOf(page: string): readonly string[] {
  return page.replace(/<style>[^<]*<\/style>/, '').match(/<[^>]*>/g) ?? []
}
