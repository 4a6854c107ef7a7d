import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from './server.ts'

const EVERY_MS = 50

/**
 * Looks from another connection, as a reader would, until the first and the last registrant stand in staging: each
 * look is for two keys of an index, whatever is on its way to be committed.
 *
 * @param ended aborted when whoever writes them has ended: then it is looked once more
 * @returns when they were seen, in milliseconds since 1970
 */
export async function firstSeenMs(
  databaseUrl: string,
  registrants: number,
  ended: AbortSignal,
): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const ids = [...new Set(['1', String(registrants)])]
    for (let isLast = false; ; isLast = ended.aborted) {
      const { rowCount } = await client.query(
        "select from staging.b_registrants where integration_id = 'large' and source_id = any ($1) and valid_to_run is null",
        [ids],
      )
      if (rowCount === ids.length) return Date.now()
      if (isLast) throw new Error('the registrants were never to be seen in staging')
      await sleep(EVERY_MS)
    }
  })
}
