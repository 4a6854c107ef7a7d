// These tests run on both engines, because the report must have the same bytes on each.
import { beforeEach, describe, expect, test } from 'vitest'
import { openRun, updateRun } from '../../../../loaders/ledger/ledger.ts'
import type { ListedFile } from '../../../../loaders/packs/csv-files/csv.ts'
import { storeFigures } from '../../../../loaders/packs/csv-files/rows.ts'
import type { ReportedRun } from '../../../../loaders/packs/report/figures.ts'
import { makeReport } from '../../../../loaders/packs/report/report.ts'
import type { Action, Content, Fields } from '../../../../sql/tables.ts'
import { desire } from '../../../support/desired.ts'
import { bothEngines } from '../../../support/engines.ts'
import { emptyTables, INTEGRATION, insertStaged, runId } from '../../../support/staged.ts'
import { useDatabase } from '../../../support/use-database.ts'
import { figuresWith } from './sample.ts'

const CONTENTS: readonly Content[] = ['agenda', 'attendees', 'speakers']
const FILES: readonly ListedFile[] = [{ name: 'changes.csv', rows: 620, bytes: 1, sha256: '' }]

/** Values of a person. A masked report must contain none of these values. */
const ADA = {
  firstName: 'Adalovelace',
  lastName: 'Byronsdaughter',
  emailAddress: 'ada@private.example',
  biography: 'Likes numbers',
  personalAgenda: ['1'],
}

/** The text of `report.html`, for each engine that wrote it. */
const written: Record<string, string> = {}

describe.each(bothEngines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  const run = (number: number) => ({ integrationId: INTEGRATION, runId: runId(number) })

  /** Opens a run that starts at the given minute of the hour. */
  async function opened(number: number, minute: number): Promise<string> {
    const at = `2031-05-01T08:${String(minute).padStart(2, '0')}:00.123Z`
    await openRun(db(), {
      ...run(number),
      command: 'run',
      startedAt: at,
      startedBy: 'grace',
      productVersion: '0.0.0',
      configuration: '{}',
      contents: CONTENTS,
      platformRevision: '0',
      eventName: null,
      silencedHints: [],
      timeZone: 'Europe/Berlin',
      custom: {},
      nextDueAt: null,
      maxQuarantined: 0,
    })
    return at
  }

  /** Opens a run and ends it. */
  async function ran(number: number, minute: number, agenda: number): Promise<void> {
    const at = await opened(number, minute)
    const counts = { create: agenda, update: 0, remove: 0, unchanged: 0 }
    await updateRun(db(), INTEGRATION, runId(number), {
      status: 'finished',
      applied_at: at,
      finished_at: at,
      counts: { changes: { agenda: counts }, excluded: {}, quarantined: 0, kept: 0 },
    })
  }

  async function change(
    seq: number,
    [content, uniqueId, action]: readonly [Content, string, Action],
    before: Fields | null,
    after: Fields | null,
    isRejected = false,
  ): Promise<void> {
    await db()
      .insertInto('sync.changes')
      .values({
        integration_id: INTEGRATION,
        run_id: runId(2),
        seq,
        content,
        unique_id: uniqueId,
        action,
        reason: '',
        before: before === null ? null : JSON.stringify(before),
        after: after === null ? null : JSON.stringify(after),
        change_hash: Buffer.alloc(32),
        phase: action === 'remove' ? 'removals' : 'upserts',
        state: isRejected ? 'failed' : 'applied',
        result: isRejected ? 'failed' : 'created',
        code: isRejected ? 'no_such_room' : null,
        retryable: isRejected ? false : null,
      })
      .execute()
  }

  const session = (name: string, start: string, location?: string): Fields => {
    const times = { startTime: `2031-05-04T${start}:00Z`, endTime: `2031-05-04T${start.slice(0, 2)}:30:00Z` }
    return { name, ...times, ...(location === undefined ? {} : { location }) }
  }

  beforeEach(async () => {
    await emptyTables(db())
    await ran(1, 1, 5)
    await ran(2, 2, 7)
    await desire(db(), [
      ['agenda', '1', session('Breakfast <b>', '07:00', 'Küche')],
      ['agenda', '2', session('Far away', '08:00')],
      ['agenda', '3', session('Supper', '17:00', 'Küche')],
      ['attendees', ADA.emailAddress, ADA],
    ])
    await updateRun(db(), INTEGRATION, runId(9), { status: 'planned', planned_at: await opened(9, 9) })
    await insertStaged(db(), {
      'staging.b_sessions': [
        { source_id: '2', time_zone: 'Asia/Tokyo', valid_from_run: runId(1), valid_to_run: runId(9) },
        { source_id: '2', time_zone: 'Asia/Kolkata', valid_from_run: runId(9) },
      ],
    })
    await storeFigures(db(), run(2), figuresWith(() => 'x').figures, undefined)
    await db()
      .insertInto('sync.unstaged')
      .values({
        integration_id: INTEGRATION,
        run_id: runId(2),
        resource: 'users',
        ordinal: 1,
        source_id: 'eve@private.example',
        id: null,
        reason: 'invalid_record',
        path: '$.Id',
        detail: 'no id',
      })
      .execute()
    await change(1, ['attendees', ADA.emailAddress, 'create'], null, ADA)
    await change(2, ['speakers', 'eve@private.example', 'update'], { firstName: 'Evelyn' }, {}, true)
    await change(3, ['agenda', '1', 'create'], null, session('Breakfast <b>', '07:00', 'Küche'))
  })

  const REPORTED: ReportedRun = {
    ...figuresWith(() => 'x').run,
    held: null,
    finishedAt: '2031-05-01T08:02:00.123Z',
    eventName: null,
    silencedHints: [],
    timeZone: 'Europe/Berlin',
  }
  const make = (number = 2, personalData: 'full' | 'masked' = 'full') =>
    makeReport(db(), run(number), {
      integrationId: run(number).integrationId,
      run: REPORTED,
      personalData,
      contents: CONTENTS,
      files: FILES,
    })
  const section = (page: string, id: string) => {
    const start = page.indexOf(`<section id="${id}"`)
    return page.slice(start, page.indexOf('<section id="', start + 1))
  }

  test('a report that is written again has the same bytes, even in another time zone', async () => {
    const page = await make()
    written[engine] = page
    const zone = process.env.TZ
    process.env.TZ = 'Asia/Kathmandu'
    try {
      expect((await make()) === page).toBe(true)
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })

  test('the agenda uses the time zone that the session had in the run, or the time zone of the event if the session had none', async () => {
    const agenda = section(await make(), 'agenda')
    expect(agenda).toContain('in <strong>Europe/Berlin</strong>')
    expect(agenda).toContain(
      '09:00–09:30</th><td><bdi>Breakfast &lt;b&gt;</bdi> <span class="mark">new</span></td><td><bdi>Küche</bdi></td>',
    )
    expect(agenda).toContain(
      '17:00–17:30 <span class="of">Asia/Tokyo</span></th><td><bdi>Far away</bdi></td><td><span class="none">No location</span></td>',
    )
    expect(agenda).toContain('19:00–19:30</th><td><bdi>Supper</bdi></td><td><bdi>Küche</bdi></td>')
    expect(section(await make(9), 'agenda')).toContain('13:30–14:00 <span class="of">Asia/Kolkata</span>')
  })

  test('the report shows the changes, rejections and quarantined records of its own run', async () => {
    const page = await make()
    expect(section(page, 'changes')).toContain('<bdi>Adalovelace Byronsdaughter</bdi>')
    expect(section(page, 'changes')).toContain('620 fields changed on the platform; the first 10 are shown')
    expect(section(page, 'results')).toContain('<code><bdi>no_such_room</bdi></code>')
    expect(section(page, 'certificates')).toContain('<bdi>eve@private.example</bdi>')
    expect(section(await make(1), 'results')).toContain('The platform rejected nothing.')
  })

  test('if more than 500 fields changed, the first 500 are shown, in the order of changes.csv', async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field${index + 10}`, 'x']))
    for (let seq = 4; seq < 14; seq += 1) await change(seq, ['agenda', `a${seq}`, 'create'], null, many)
    const changes = section(await make(), 'changes')
    // The first three rows belong to the session. The rows of people follow in the byte order of their ids:
    // a10 to a13, then a4 to a9.
    expect(changes.match(/<tr><th scope="row">/g)?.length).toBe(500)
    expect(changes).toContain('<bdi>a7</bdi>')
    expect(changes).not.toContain('<bdi>a9</bdi>')
    expect(changes).toContain('<a href="changes.csv">changes.csv</a>')
  })

  test('a masked report has no personal value, and no id that is an e-mail address', async () => {
    const page = await make(2, 'masked')
    for (const value of ['Adalovelace', 'Byronsdaughter', 'private.example', 'Likes numbers', 'Evelyn'])
      expect(page.includes(value), value).toBe(false)
    expect(page).toContain('Breakfast &lt;b&gt;')
    expect(page).toContain('<dd>masked</dd>')
  })

  test('the section about growth shows only runs that began and ended before the run of the report', async () => {
    const shown = async () => {
      const growth = section(await make(), 'growth')
      const rows = growth.matchAll(/<tr><th scope="row">([^<]*)<\/th><td class="n">(\d)/g)
      return [...rows].map(([, when, items]) => [when, items])
    }
    // Run 3 ends after the run of the report. Run 4 is a later run, but starts earlier because its clock was
    // set back.
    await ran(3, 3, 9)
    await ran(4, 1, 4)
    expect(await shown()).toEqual([
      ['2031-05-01 10:02:00', '7'],
      ['2031-05-01 10:01:00', '5'],
    ])
    await db()
      .updateTable('sync.runs')
      .set({ finished_at: '2031-05-01T09:00:00.000Z' })
      .where('run_id', '=', runId(1))
      .execute()
    // A single run shows no growth, so the report has no section for it.
    expect(await shown()).toEqual([])
  })
})

test('both engines write the same bytes for the same report', () => {
  expect(written.pglite?.length).toBeGreaterThan(10_000)
  expect(written.pglite === written.postgres).toBe(true)
})
