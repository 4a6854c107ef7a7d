import type { Database } from '../../../sql/database.ts'
import { lookAt } from '../../harness/platform-judge.ts'
import type { SamplePlatform } from '../../harness/sample-platform/start.ts'

/** The state of the platform and of the integration's database after a command. */
export type Found = Awaited<ReturnType<typeof look>>

export async function look(platform: SamplePlatform, { kysely }: Database, integrationId: string) {
  /** Items that are on the platform according to the integration's database. */
  const known = await kysely
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .select(['content', 'unique_id as uniqueId', 'fields'])
    .execute()
  /** The result of every change that was ever planned. */
  const changes = await kysely
    .selectFrom('sync.changes')
    .where('integration_id', '=', integrationId)
    .orderBy('run_id')
    .orderBy('seq')
    .select([
      'run_id as run',
      'seq',
      'content',
      'unique_id as uniqueId',
      'action',
      'state',
      'result',
      'code',
      'freed',
    ])
    .execute()
  return {
    platform: await lookAt(platform),
    known,
    changes: changes.map((change) => ({ ...change, seq: Number(change.seq) })),
  }
}
