import pg from 'pg'
import { addHistory, addOthers } from './history.ts'
import { type Answered, answer, faultsOf, versionsOf } from './plans.ts'
import { type Asked, singleQuestions, wholeQuestions } from './questions.ts'
import { LARGE, type Place, sync } from './sync.ts'

/** What was measured, and what speaks against it. */
export interface Scale {
  readonly versions: Readonly<Record<string, number>>
  readonly answers: readonly Answered[]
  readonly faults: readonly string[]
}

/** Copies of the integration beside it. */
const OTHERS = 9

/**
 * Syncs an integration, gives it ten runs of history and others beside it, and asks what analysts ask.
 *
 * @param ofOthers registrants of each of the other integrations
 */
export async function measureScale(place: Place, ofOthers: number): Promise<Scale> {
  await sync(place)
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  try {
    await addHistory(client)
    await addOthers(client, OTHERS, ofOthers)
    const answers: Answered[] = []
    const faults: string[] = []
    for (const integration of [LARGE, 'other-3']) {
      const asked = await whatToAsk(client, integration)
      const own = await versionsOf(client, integration)
      const single = integration === LARGE ? singleQuestions(asked) : []
      for (const question of [...single, ...wholeQuestions(integration, asked)]) {
        // The first time the planner and the memory are cold.
        await answer(client, question)
        const answered = await answer(client, question)
        answers.push(answered)
        faults.push(...faultsOf(answered, own))
      }
    }
    return { versions: await versionsOf(client, LARGE), answers, faults }
  } finally {
    await client.end()
  }
}

/** The eighth run, the one before it, and a registrant whose company has changed on the way. */
async function whatToAsk(client: pg.Client, integration: string): Promise<Asked> {
  const { rows } = await client.query<{ run_id: string; run_before: string; id: string }>(
    `select run.run_id, run.run_before, (
      select min(source_id) from staging.b_registrants
      where integration_id = $1 and valid_to_run is not null
    ) as id
    from staging.runs as run
    where run.integration_id = $1
    order by run.run_id
    offset 7 limit 1`,
    [integration],
  )
  const [asked] = rows
  if (asked === undefined) throw new Error(`${integration} has no eighth run`)
  return { run: asked.run_id, runBefore: asked.run_before, id: asked.id }
}
