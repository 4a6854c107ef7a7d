import { ofRun } from '../../../sql/conditions.ts'
import type { Action, Content, Db, RunKey } from '../../../sql/tables.ts'
import { currentAsOf } from '../../../transforms/history/as-of.ts'
import { readPages } from '../../ledger/pages.ts'
import { actionsOf, type PackSource, SHORT_ROWS_PAGE } from './rows.ts'

/**
 * Sort position of the record that is used for its id, which puts it after the repeated records with the same
 * id.
 */
const LAST_PLACE = '9223372036854775807'

/**
 * Reads the rows of `decisions.csv`, one for each record and content, sorted by source id, then source order.
 * The rows are decisions on staged records as of the run, and records that were repeated or quarantined.
 */
export async function* decisionRows({ db, run, resourceOf }: PackSource) {
  for (const [content, resource] of [...resourceOf].sort()) {
    const read = (after: Cursor) => decisionsAfter(db, run, content, resource, after)
    yield* readPages({ sourceId: '', place: '0' }, SHORT_ROWS_PAGE, read, cursorOf)
  }
}

interface Cursor {
  readonly sourceId: string
  readonly place: string
}

function cursorOf({ source_id: sourceId, place }: DecidedRecord): Cursor {
  return { sourceId, place }
}

async function decisionsAfter(db: Db, run: RunKey, content: Content, resource: string, after: Cursor) {
  const rows = await recordsAfter(db, run, content, resource, after)
  const ids = rows.flatMap(({ place, unique_id: id }) => (place === LAST_PLACE && id !== null ? [id] : []))
  const actions = await actionsOf(db, run, content, ids)
  return rows.map((row) => ({ ...row, content, resource, action: actionOf(row, actions) }))
}

/**
 * Returns the action of a record. If several records have the same id, only the record that the run used has
 * an action.
 */
function actionOf(
  { place, unique_id: id, decision }: DecidedRecord,
  actions: ReadonlyMap<string, Action>,
): Action | 'unchanged' | null {
  if (place !== LAST_PLACE) return null
  const action = id === null ? undefined : actions.get(id)
  if (decision === 'synced') return action ?? 'unchanged'
  return action === 'remove' ? 'remove' : null
}

type DecidedRecord = Awaited<ReturnType<typeof recordsAfter>>[number]

function recordsAfter(
  db: Db,
  { integrationId, runId }: RunKey,
  content: Content,
  resource: string,
  last: Cursor,
) {
  const staged = db
    .selectFrom('sync.decisions as decision')
    .where(({ and }) => and({ 'decision.integration_id': integrationId, 'decision.content': content }))
    .where('decision.source_id', last.place === LAST_PLACE ? '>' : '>=', last.sourceId)
    .where(currentAsOf('decision', runId))
    .orderBy('decision.source_id')
    .limit(SHORT_ROWS_PAGE)
    .select((eb) => [
      'decision.source_id',
      eb.cast<string>(eb.val(LAST_PLACE), 'bigint').as('place'),
      'decision.unique_id',
      eb.ref('decision.decision').$castTo<string>().as('decision'),
      'decision.reason',
      'decision.detail',
    ])
  const rejected = db
    .selectFrom('sync.unstaged as rejected')
    .$call(ofRun({ integrationId, runId }))
    .where('rejected.resource', '=', resource)
    .where((eb) =>
      eb(
        eb.tuple(eb.fn.coalesce('rejected.source_id', eb.val('')), eb.ref('rejected.ordinal')),
        '>',
        eb.tuple(last.sourceId, last.place),
      ),
    )
    .select((eb) => [
      eb.fn.coalesce('rejected.source_id', eb.val('')).as('source_id'),
      eb.ref('rejected.ordinal').$castTo<string>().as('place'),
      // A user of Source A without an id is an attendee whose unique ID is the e-mail address.
      eb.ref(content === 'attendees' ? 'rejected.source_id' : 'rejected.id').as('unique_id'),
      eb
        .case()
        .when('rejected.reason', '=', 'duplicate_id')
        .then('excluded')
        .else('quarantined')
        .end()
        .$castTo<string>()
        .as('decision'),
      eb.ref('rejected.reason').$castTo<string>().as('reason'),
      eb.val('').as('detail'),
    ])
    .orderBy('source_id')
    .orderBy('place')
    .limit(SHORT_ROWS_PAGE)
  return db
    .selectFrom((eb) =>
      eb
        .selectFrom(staged.as('staged'))
        .selectAll()
        .unionAll(eb.selectFrom(rejected.as('rejected')).selectAll())
        .as('row'),
    )
    .select((eb) => [
      'row.source_id',
      eb.cast<string>('row.place', 'text').as('place'),
      'row.unique_id',
      'row.decision',
      'row.reason',
      'row.detail',
    ])
    .orderBy('row.source_id', (order) => order.collate('C'))
    .orderBy('row.place')
    .limit(SHORT_ROWS_PAGE)
    .execute()
}
