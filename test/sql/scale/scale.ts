import pg from 'pg'
import { addHistory, addOthers } from './history.ts'
import { type Answered, answer, faultsOf, versionsOf } from './plans.ts'
import { type Asked, singleQuestions, wholeQuestions } from './questions.ts'
import { LARGE, type Place, sync } from './sync.ts'
import { readWritten, type Written } from './written.ts'

/** What was measured, and what speaks against it. */
export interface Scale {
  readonly versions: Readonly<Record<string, number>>
  readonly answers: readonly Answered[]
  readonly faults: readonly string[]
  /** Seconds by step of the first run, and of the second, which read the same. */
  readonly first: Readonly<Record<string, number>>
  readonly second: Readonly<Record<string, number>>
  readonly writtenBefore: Written
  readonly writtenAfter: Written
}

/** Copies of the integration beside it. */
const OTHERS = 9

/**
 * Syncs an integration, gives it ten runs of history and others beside it, asks what analysts ask, and syncs the same
 * again.
 *
 * @param ofOthers registrants of each of the other integrations
 */
export async function measureScale(
  place: Place,
  ofOthers: number,
  say: (text: string) => void,
): Promise<Scale> {
  const first = await sync(place)
  say('first run')
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  try {
    await addHistory(client)
    say('ten runs of history')
    await addOthers(client, OTHERS, ofOthers)
    say(`${OTHERS} other integrations`)
    const versions = await versionsOf(client, LARGE)
    const answers: Answered[] = []
    const faults: string[] = []
    for (const integration of [LARGE, 'other-3']) {
      const asked = await whatToAsk(client, integration)
      const own = await versionsOf(client, integration)
      const single = integration === LARGE ? singleQuestions(asked) : []
      for (const question of [...single, ...wholeQuestions(integration, asked)]) {
        await answer(client, question)
        const answered = await answer(client, question)
        answers.push(answered)
        faults.push(...faultsOf(answered, own))
      }
    }
    const writtenBefore = await readWritten(client)
    const second = await sync(place)
    say('second run, of the same')
    const writtenAfter = await readWritten(client)
    return { versions, answers, faults, first, second, writtenBefore, writtenAfter }
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
