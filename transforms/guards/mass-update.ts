import { type RawBuilder, sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../registry/platform-fields.ts'
import { platformName } from '../resources/custom-fields.ts'
import { counted, type GuardFinding } from './guard-finding.ts'

const LEAST_UPDATES = 20

const REFERENCES: Readonly<Record<Content, Readonly<Record<string, Content>>>> = {
  agenda: { speakerIds: 'speakers' },
  speakers: { sessionIds: 'agenda', attendeeId: 'attendees' },
  attendees: { personalAgenda: 'agenda' },
}

/**
 * Holds a plan where much of a content would change in one and the same field, as a wrong time zone moves every session.
 *
 * A field that had no value does not count: rooms and first choices of sessions come
 * all at once. References that only follow what the plan creates and removes do not count: these have guards of their own.
 *
 * @param maxShare largest share of them that may, 0 to 1
 */
export async function findMassUpdate(
  db: Db,
  { integrationId, runId }: RunKey,
  live: ReadonlyMap<Content, number>,
  maxShare: number,
): Promise<GuardFinding | null> {
  const seen: string[] = []
  for (const [content, items] of live) {
    const custom = await customFieldsBefore(db, { integrationId, runId }, content)
    const fields = [...PLATFORM_FIELDS[content], ...custom.map(platformName)]
    const conditions = [
      ...PLATFORM_FIELDS[content].map((field) => isChanged(field, REFERENCES[content][field])),
      ...custom.map((name) => differs(['custom', name])),
    ]
    const changed = conditions.map((condition) => sql`(count(*) filter (where ${condition}))::text`)
    const { counts } = await db
      .selectFrom('sync.changes as change')
      .$call(ofRun({ integrationId, runId }))
      .where('content', '=', content)
      .where('action', '=', 'update')
      .select(sql<readonly string[]>`array[${sql.join(changed)}]`.as('counts'))
      .executeTakeFirstOrThrow()
    for (const [index, field] of fields.entries()) {
      const count = Number(counts[index])
      if (count < LEAST_UPDATES || count / items <= maxShare) continue
      seen.push(`${field} of ${content} would change in ${count} of ${counted(items, 'live item')}`)
    }
  }
  if (seen.length === 0) return null
  return {
    guard: 'massUpdate',
    detail: `${seen.join(', ')}, guards.massUpdate lets ${maxShare} of them pass; nobody edits that many by hand, but a wrong time zone or a field that the source fills in another way looks like that: check source.timeZone, and compare a few items with the source`,
    onlyRemovals: false,
  }
}

/** Custom fields that an item of a content had: also those that are configured no more. */
async function customFieldsBefore(db: Db, { integrationId, runId }: RunKey, content: Content) {
  const { rows } = await sql<{ name: string }>`select distinct own.name collate "C" as name
    from sync.changes as change
    cross join lateral jsonb_object_keys(change.before -> 'custom') as own (name)
    where change.integration_id = ${integrationId}
      and change.run_id = ${runId}
      and change.content = ${content}
      and change.action = 'update'
    order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

/** Whether a field has another value, and had one before. */
function differs(path: readonly string[]): RawBuilder<boolean> {
  const keys = sql`array[${sql.join(path.map((key) => sql.lit(key)))}]`
  return sql`change.before #> ${keys} is not null and change.before #> ${keys} is distinct from change.after #> ${keys}`
}

/** @param target content that the field refers to */
function isChanged(field: string, target: Content | undefined): RawBuilder<boolean> {
  if (target === undefined) return differs([field])
  const path = sql.lit(`$.${field}[*]`)
  // Both a list and a single reference are rows of this path.
  const lasting = (side: RawBuilder<unknown>) => sql`(
    select array_agg(reference.id order by reference.place)
    from jsonb_path_query(${side}, ${path}) with ordinality as reference (id, place)
    where not exists (
      select from sync.changes as followed
      where followed.integration_id = change.integration_id
        and followed.run_id = change.run_id
        and followed.content = ${sql.lit(target)}
        and followed.unique_id = reference.id #>> '{}'
        and followed.action in ('create', 'remove')
    )
  )`
  const before = lasting(sql`change.before`)
  return sql`${differs([field])} and ${before} is distinct from ${lasting(sql`change.after`)}`
}
