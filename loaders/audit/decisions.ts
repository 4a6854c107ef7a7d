import { type Kysely, sql } from 'kysely'
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
        .onRef('change.content', '=', 'decision.content')
        .onRef('change.unique_id', '=', 'decision.unique_id'),
    )
    .where('decision.integration_id', '=', integrationId)
    .where('decision.content', '=', content)
    .where('decision.source_id', '>=', last.sourceId)
    .where('decision.valid_from_run', '<=', runId)
    .where((eb) => eb.or([eb('decision.valid_to_run', 'is', null), eb('decision.valid_to_run', '>', runId)]))
    .where(
      sql<boolean>`(decision.source_id, ${LAST_PLACE}::bigint) > (${last.sourceId}, ${last.place}::bigint)`,
    )
    .orderBy('decision.source_id')
    .limit(PAGE)
    .select([
      'decision.source_id',
      sql<string>`${LAST_PLACE}`.as('place'),
      'decision.unique_id',
      'decision.decision',
      'decision.reason',
      sql<string | null>`case
        when decision.decision = 'synced' then coalesce(change.action, 'unchanged')
        when change.action = 'remove' then 'remove' end`.as('action'),
      'decision.detail',
    ])
  const aside = db
    .selectFrom('sync.unstaged as aside')
    .where('aside.integration_id', '=', integrationId)
    .where('aside.run_id', '=', runId)
    .where('aside.resource', '=', resource)
    .where(
      sql<boolean>`(coalesce(aside.source_id, ''), aside.ordinal) > (${last.sourceId} collate "C", ${last.place}::bigint)`,
    )
    .orderBy(sql`coalesce(aside.source_id, '')`)
    .orderBy('aside.ordinal')
    .limit(PAGE)
    .select([
      sql<string>`coalesce(aside.source_id, '')`.as('source_id'),
      sql<string>`aside.ordinal::text`.as('place'),
      // As an attendee, a user of Source A without an id is known by the e-mail address.
      (content === 'attendees' ? sql<string | null>`aside.source_id` : sql<string | null>`aside.id`).as(
        'unique_id',
      ),
      sql<string>`case when aside.reason = 'duplicate_id' then 'excluded' else 'quarantined' end`.as(
        'decision',
      ),
      'aside.reason',
      sql<string | null>`null::text`.as('action'),
      sql<string>`''`.as('detail'),
    ])
  return db
    .selectFrom(
      sql<Awaited<ReturnType<typeof staged.execute>>[number]>`((${staged}) union all (${aside}))`.as('row'),
    )
    .selectAll()
    .orderBy(sql`"row".source_id collate "C"`)
    .orderBy(sql`"row".place::bigint`)
    .limit(PAGE)
    .execute()
}
