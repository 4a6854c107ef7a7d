import { beforeEach, describe, expect, test } from 'vitest'
import { makeDesired } from '../../../transforms/decide/desired.ts'
import { transformA } from '../../../transforms/source-a/index.ts'
import { ALL_CONTENTS } from '../../support/decide.ts'
import { bothEngines } from '../../support/engines.ts'
import { emptyTables, enterIntegration, INTEGRATION, insertStaged, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'
import { DEFAULTS } from './options.ts'

describe.each(bothEngines)('on %s', (engine) => {
  const database = useDatabase(engine)
  beforeEach(() => emptyTables(database().kysely))

  /** Returns the milliseconds for `count` users, each of whom is a speaker of a session. */
  async function costMs(count: number): Promise<number> {
    const { kysely: db } = database()
    await emptyTables(db)
    await enterIntegration(db)
    for (let from = 0; from < count; from += 500) {
      const ids = Array.from({ length: 500 }, (_, place) => String(from + place))
      await insertStaged(db, {
        'staging.a_users': ids.map((id) => ({ source_id: id, first_name: 'A', last_name: 'B' })),
        'staging.a_sessions': ids.map((id) => ({ source_id: `s${id}`, title: 'T', speaker_ids: [id] })),
      })
    }
    const scope = { integrationId: INTEGRATION, contents: ALL_CONTENTS, options: DEFAULTS }
    const from = performance.now()
    await database().transaction((transaction) => makeDesired(transaction, transformA, scope, runId(1), true))
    return performance.now() - from
  }

  test('for eight times as many speakers of Source A, the decisions take about eight times as long', async () => {
    await costMs(500)
    const small = Math.min(await costMs(1000), await costMs(1000), await costMs(1000))
    const large = await costMs(8000)
    // Comparing each speaker with all other speakers would take 64 times as long. On a busy machine, eight
    // times as long can become 16 times as long.
    expect(large).toBeLessThan(24 * small + 300)
  })
})
