import type { Kysely } from 'kysely'
import type { Content, Tables } from '../../sql/tables.ts'
import type { CsvCell } from './csv.ts'
import type { AuditedRun } from './items.ts'

const PAGE = 1000

/** Columns of `decisions.csv`. Source: design 9 (contract). */
export const DECISION_COLUMNS = [
  'content',
  'resource',
  'source_id',
  'unique_id',
  'decision',
  'reason',
  'action',
  'detail',
]

/** A record that counts for its id comes after those that it replaced. */
const LAST_PLACE = '9223372036854775807'

/**
 * What became of each record of a resource for a content, by source id, then source order: decisions on staged
 * records as they stood in the run, and records that are repeated or quarantined.
 */
export async function* decisionRows(
  db: Kysely<Tables>,
  run: AuditedRun,
  content: Content,
  resource: string,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  let last = { sourceId: '', place: '0' }
  for (;;) {
    const page = await decisionsAfter(db, run, content, resource, last)
    yield page.map((row) => [
      content,
      resource,
      row.source_id === '' ? null : row.source_id,
      row.unique_id,
      row.decision,
      row.reason === '' ? null : row.reason,
      row.action,
      row.detail === '' ? null : row.detail,
    ])
    const end = page.at(-1)
    if (end === undefined || page.length < PAGE) return
    last = { sourceId: end.source_id, place: end.place }
  }
}

function decisionsAfter(
  db: Kysely<Tables>,
  { integrationId, runId }: AuditedRun,
  content: Content,
  resource: string,
  last: { readonly sourceId: string; readonly place: string },
) {
  const staged = db
    .selectFrom('sync.decisions as decision')
    .leftJoin('sync.changes as change', (join) =>
      join
        .onRef('change.integration_id', '=', 'decision.integration_id')
        .on('change.run_id', '=', runId)
        .on('change.state', '<>', 'withheld')
        .onRef('change.content', '=', 'decision.content')
        .onRef('change.unique_id', '=', 'decision.unique_id'),
    )
    .where('decision.integration_id', '=', integrationId)
    .where('decision.content', '=', content)
    .where('decision.source_id', last.place === LAST_PLACE ? '>' : '>=', last.sourceId)
    .where('decision.valid_from_run', '<=', runId)
    .where((eb) => eb.or([eb('decision.valid_to_run', 'is', null), eb('decision.valid_to_run', '>', runId)]))
    .orderBy('decision.source_id')
    .limit(PAGE)
    .select((eb) => [
      'decision.source_id',
      eb.cast<string>(eb.val(LAST_PLACE), 'bigint').as('place'),
      'decision.unique_id',
      eb.ref('decision.decision').$castTo<string>().as('decision'),
      'decision.reason',
      eb
        .case()
        .when('decision.decision', '=', 'synced')
        .then(eb.fn.coalesce('change.action', eb.val('unchanged')))
        .when('change.action', '=', 'remove')
        .then('remove')
        .end()
        .$castTo<string | null>()
        .as('action'),
      'decision.detail',
    ])
  const aside = db
    .selectFrom('sync.unstaged as aside')
    .where('aside.integration_id', '=', integrationId)
    .where('aside.run_id', '=', runId)
    .where('aside.resource', '=', resource)
    .where((eb) => {
      const sourceId = eb.fn.coalesce('aside.source_id', eb.val(''))
      return eb.or([
        eb(sourceId, '>', last.sourceId),
        eb.and([eb(sourceId, '=', last.sourceId), eb('aside.ordinal', '>', last.place)]),
      ])
    })
    .select((eb) => [
      eb.fn.coalesce('aside.source_id', eb.val('')).as('source_id'),
      eb.ref('aside.ordinal').$castTo<string>().as('place'),
      // As an attendee, a user of Source A without an id is known by the e-mail address.
      eb.ref(content === 'attendees' ? 'aside.source_id' : 'aside.id').as('unique_id'),
      eb
        .case()
        .when('aside.reason', '=', 'duplicate_id')
        .then('excluded')
        .else('quarantined')
        .end()
        .$castTo<string>()
        .as('decision'),
      eb.ref('aside.reason').$castTo<string>().as('reason'),
      eb.cast<string | null>(eb.val(null), 'text').as('action'),
      eb.val('').as('detail'),
    ])
    .orderBy('source_id')
    .orderBy('place')
    .limit(PAGE)
  return db
    .selectFrom((eb) =>
      eb
        .selectFrom(staged.as('staged'))
        .selectAll()
        .unionAll(eb.selectFrom(aside.as('aside')).selectAll())
        .as('row'),
    )
    .select((eb) => [
      'row.source_id',
      eb.cast<string>('row.place', 'text').as('place'),
      'row.unique_id',
      'row.decision',
      'row.reason',
      'row.action',
      'row.detail',
    ])
    .orderBy('row.source_id', (order) => order.collate('C'))
    .orderBy('row.place')
    .limit(PAGE)
    .execute()
}
