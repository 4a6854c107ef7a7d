import { sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { reasonInWords } from '../../transforms/declare/reasons.ts'
import { counted } from '../../transforms/texts/counted.ts'

interface Decided {
  /** Reason why the records are excluded; empty for records that are synced. */
  readonly reason: string
  readonly count: number
}

/**
 * Adds a note for each content that has records, none of which the first run syncs. The run itself ends
 * successfully, so nobody would notice the mistake.
 *
 * @param resourceOf for each synced content, the resource that has its records
 */
export async function noteNothingSynced(
  db: Db,
  run: RunKey,
  resourceOf: ReadonlyMap<Content, string>,
): Promise<readonly string[]> {
  const notes: string[] = []
  for (const [content, resource] of resourceOf) {
    if (await wasApplied(db, run, content)) continue
    const decided = await countByReason(db, run, content, resource)
    const [most] = decided
    if (most === undefined || decided.some(({ reason }) => reason === '')) continue
    const records = decided.reduce((sum, { count }) => sum + count, 0)
    const words = reasonInWords(most.reason)
    notes.push(
      `nothing of ${content} is synced: ${records === 1 ? 'the only record is' : `all ${records} records are`} left out, most often for ${most.reason} (${counted(most.count, 'record')}${words === '' ? '' : `: ${words}`}); \`event-sync explain ${run.integrationId} ${content} ID\` says of one record why`,
    )
  }
  return notes
}

/** Returns true if a plan with changes of this content was applied before. */
async function wasApplied(db: Db, { integrationId }: RunKey, content: Content): Promise<boolean> {
  const run = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('applied_at', 'is not', null)
    .where(sql<boolean>`${content} = any (contents)`)
    .select('run_id')
    .limit(1)
    .executeTakeFirst()
  return run !== undefined
}

/** Counts the records of a content for each reason. The most frequent reason comes first. */
async function countByReason(
  db: Db,
  run: RunKey,
  content: Content,
  resource: string,
): Promise<readonly Decided[]> {
  const decided = await db
    .selectFrom('sync.decisions')
    .where('integration_id', '=', run.integrationId)
    .where(({ and }) => and({ content, valid_to_run: null }))
    .groupBy('reason')
    .select(['reason', sql<string>`count(*)`.as('count')])
    .execute()
  const rejected = await db
    .selectFrom('sync.unstaged')
    .$call(ofRun(run))
    .where('resource', '=', resource)
    .groupBy('reason')
    .select(['reason', sql<string>`count(*)`.as('count')])
    .execute()
  return [...decided, ...rejected]
    .map(({ reason, count }) => ({ reason, count: Number(count) }))
    .toSorted((one, other) => other.count - one.count || (one.reason < other.reason ? -1 : 1))
}
