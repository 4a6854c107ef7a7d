import type { SamplePlatform } from '../../pipeline/demo/sample-platform/start.ts'
import type { Database } from '../../sql/database.ts'
import { lookAt, type PlatformLook, type RecordedOutcome } from '../support/platform-judge.ts'

/** What is found after a command: on the platform, and in the integration's memory of it. */
export interface Found {
  readonly platform: PlatformLook
  /** Items that the integration believes to be on the platform, in byte order. */
  readonly known: readonly { readonly content: string; readonly uniqueId: string; readonly fields: unknown }[]
  /** What became of every change that was ever planned. */
  readonly changes: readonly RememberedChange[]
}

export interface RememberedChange extends RecordedOutcome {
  readonly content: string
  readonly action: string
}

export async function look(
  platform: Pick<SamplePlatform, 'control'>,
  { kysely }: Database,
  integrationId: string,
): Promise<Found> {
  const known = await kysely
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .orderBy('content')
    .orderBy('unique_id')
    .select(['content', 'unique_id', 'fields'])
    .execute()
  const changes = await kysely
    .selectFrom('sync.changes')
    .where('integration_id', '=', integrationId)
    .orderBy('run_id')
    .orderBy('seq')
    .select(['run_id', 'seq', 'content', 'unique_id', 'action', 'state', 'result', 'code'])
    .execute()
  return {
    platform: await lookAt(platform),
    known: known.map(({ content, unique_id: uniqueId, fields }) => ({ content, uniqueId, fields })),
    changes: changes.map(({ run_id: run, seq, unique_id: uniqueId, ...change }) => ({
      run,
      seq: Number(seq),
      uniqueId,
      ...change,
    })),
  }
}
