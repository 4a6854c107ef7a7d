import type { Kysely } from 'kysely'
import type { Content, RunKey, Tables } from '../../sql/tables.ts'
import { findDecision, findKnown, type ItemKey } from './item.ts'

/** Contents of which an id is known, if it is not of the one that was asked for. */
export async function findElsewhere(
  db: Kysely<Tables>,
  key: ItemKey,
  contents: readonly Content[],
): Promise<readonly Content[]> {
  const known: Content[] = []
  for (const content of contents.filter((one) => one !== key.content)) {
    const other = { ...key, content }
    if ((await findDecision(db, other)) ?? (await findKnown(db, other))) known.push(content)
  }
  return known
}

/** Records of a resource that a run could not read: any of them may be one that seems not to be there. */
export async function countQuarantined(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
  resource: string,
): Promise<number> {
  const { count } = await db
    .selectFrom('sync.unstaged')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('resource', '=', resource)
    .where('reason', '=', 'invalid_record')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
