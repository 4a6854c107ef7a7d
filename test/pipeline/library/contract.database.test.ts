import { describe, expect, test } from 'vitest'
import { contractTests, type Records, type Served } from '../../../pipeline/library/contract.ts'
import type { JsonObject } from '../../../transforms/rules/values.ts'
import { full } from '../../sources/sessionize/full.ts'
import { serveSessionize } from '../../sources/sessionize/serve.ts'
import sessionize from '../../sources/sessionize/sessionize.ts'
import { engines, openEngine } from '../../support/engines.ts'

/** Returns the full records, in which one resource has a record with other values; undefined removes a key. */
const withValues = (resource: keyof typeof full, values: Record<string, unknown>) =>
  JSON.parse(JSON.stringify({ ...full, [resource]: { ...full[resource], ...values } }))

const serveOnlyFirst = async (records: Records): Promise<Served> => ({
  ...(await serveSessionize(records)),
  hold: () => undefined,
})

/** Serves lists with a number of speakers that is larger than the list. */
const serveTooFew = (records: Records) => {
  const more: Readonly<Record<string, unknown>> = { ...records, speakersTotal: 2 }
  return serveSessionize(more as Records)
}

const FIRST = 'its records become an item of every content, all of them read to a proved end'

describe.each(engines)('on %s', (engine) => {
  async function failuresOf(of: Readonly<Record<string, JsonObject>>, serve = serveSessionize) {
    const config = { eventId: 'spring', timeZone: 'Europe/Vienna' }
    const database = await openEngine(engine)
    const subject = { source: sessionize, config, full: of, serve }
    const { tests, close } = contractTests(subject, () => database)
    const failures: string[] = []
    try {
      for (const { name, run } of tests)
        await run().catch((error: unknown) => failures.push(`${name}: ${(error as Error).message}`))
    } finally {
      await close()
      await database.close()
    }
    return failures
  }

  test.each([
    [
      'has no value for an optional column, whose key may be misspelt',
      withValues('speakers', { tagLine: undefined, tagLines: 'Countess' }),
      serveSessionize,
      `${FIRST}: column tag_line of speakers: the record in \`full\` has no "tagLine"; the key may be misspelt in the source file`,
    ],
    [
      'has no value for a required column',
      withValues('speakers', { lastName: undefined }),
      serveSessionize,
      `${FIRST}: column last_name of speakers: the record in \`full\` has no "lastName"; the key may be misspelt in the source file`,
    ],
    [
      'has no value for a column with a list of ids',
      withValues('sessions', { speakers: undefined }),
      serveSessionize,
      `${FIRST}: column speaker_ids of sessions: the record in \`full\` has no "speakers"; the key may be misspelt in the source file`,
    ],
    [
      'has a value that the rule of the column cannot read',
      withValues('speakers', { profilePicture: 'none' }),
      serveSessionize,
      `${FIRST}: column picture of speakers: the record in \`full\` has "profilePicture", but the column is empty; correct its rule, or the value in \`full\``,
    ],
    [
      'has no id',
      withValues('rooms', { id: undefined }),
      serveSessionize,
      `${FIRST}: rooms: $.id: no id
rooms: no record was stored; \`full\` needs one`,
    ],
    [
      'is not read to a proved end',
      withValues('speakers', {}),
      serveTooFew,
      `${FIRST}: a read was not proved complete
speakers were not proved to be read completely, so nothing is removed for them: the source declares 2 records, but gave 1: check whether \`readToEnd\` of Sessionize requests every page once, in an order that does not change, and whether the source, or a proxy before it, leaves records out`,
    ],
    [
      'is still served after `hold` has set other records',
      withValues('speakers', {}),
      serveOnlyFirst,
      'the plan is held when the source has lost its records: without records, the run was finished; check that the server returns no records after `hold` has set empty lists',
    ],
  ])(
    'if `full` %s, the first test that fails says so, and no later test runs',
    async (_, of, serve, said) => {
      const [first, ...later] = await failuresOf(of, serve)
      expect(first).toBe(said)
      expect(later.length).toBeGreaterThan(1)
      const [name] = said.split(': ', 1)
      for (const one of later)
        expect(one).toMatch(
          new RegExp(
            `: not tested, because each test continues from the one before, and this failed: ${name}$`,
          ),
        )
    },
  )

  test('a column of a value that an item cannot have may be null in `full`', async () => {
    expect(await failuresOf(withValues('speakers', { tagLine: null }))).toEqual([])
  })
})
