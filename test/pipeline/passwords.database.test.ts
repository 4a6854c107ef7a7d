import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { configSchema } from '../../pipeline/config/config.ts'
import type { RunContext } from '../../pipeline/context/run-context.ts'
import { passwordsOf as passwordsFor } from '../../pipeline/run/watched-outbox.ts'
import { usePlatforms } from '../harness/sample-platform/use-platform.ts'
import { engines } from '../support/engines.ts'
import { emptyTables } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'
import { openRun } from './extract/support.ts'
import { useSmallSync } from './use-small-sync.ts'

const passwordsOf = (run: RunContext) => passwordsFor(run, run.integration)
const KEY = randomBytes(32).toString('base64')
const source = { type: 'a', url: 'http://127.0.0.1:9', eventId: '1' }
const http = { type: 'http', url: 'https://platform.example', eventId: '1', token: 'env:TOKEN' }

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  /** Returns a run of an integration with these settings for passwords. */
  function runWith(
    passwords: unknown,
    variables: Readonly<Record<string, string>> = {},
    platform = http,
    content: readonly string[] = ['attendees'],
  ): RunContext {
    const run = openRun(database(), source)
    const config = configSchema.parse({
      sealingKey: 'env:KEY',
      integrations: [{ id: 'event', source, content, platform, passwords }],
    })
    const [integration = run.integration] = config.integrations
    const env = { KEY, GLOBAL: 'one for all', ...variables }
    return { ...run, config, integration, secrets: { ...run.secrets, env } }
  }

  const random = { mode: 'random', storeEncryptedPassword: true }
  const sealedRows = () => db().selectFrom('sync.passwords').orderBy('unique_id').selectAll().execute()

  test.each([
    [{}, { password: 'one for all' }],
    [{ storeEncryptedPassword: false }, { password: 'one for all' }],
    [{ storeEncryptedPassword: true }, { password: 'one for all', storeEncryptedPassword: true }],
  ])(
    'with mode global and %j every attendee gets the same password, and nothing is stored [R53, R73]',
    async (more, each) => {
      const passwords = passwordsOf(runWith({ mode: 'global', global: 'env:GLOBAL', ...more }))
      expect(await passwords.of(db(), ['1', '2'])).toStrictEqual(
        new Map([
          ['1', each],
          ['2', each],
        ]),
      )
      expect(await sealedRows()).toEqual([])
    },
  )

  test('nobody gets a password with mode none, or if the platform does not accept passwords', async () => {
    for (const run of [
      runWith({ mode: 'none' }),
      runWith(random, {}, { type: 'jsonl' } as unknown as typeof http),
    ]) {
      expect(await passwordsOf(run).of(db(), ['1'])).toEqual(new Map())
    }
    expect(await sealedRows()).toEqual([])
  })

  test('random passwords have six distinct-looking characters, are stored sealed, and stay the same until they are sent [spec 5.2.2, R53]', async () => {
    const ids = Array.from({ length: 200 }, (_, place) => `user ${place}`)
    const first = await passwordsOf(runWith(random)).of(db(), ids)
    const values = [...first.values()].map(({ password }) => password)
    for (const password of values) expect(password).toMatch(/^[a-zA-Z0-9]{6}$/)
    expect(values.join('')).not.toMatch(/[0O1lIi5S8B2Z]/)
    expect(new Set(values).size).toBeGreaterThan(190)
    for (const one of first.values()) expect(one.storeEncryptedPassword).toBe(true)
    const rows = await sealedRows()
    expect(rows).toHaveLength(200)
    for (const { unique_id, sealed } of rows) {
      const bytes = Buffer.from(sealed)
      expect(bytes).toHaveLength(12 + 16 + 6)
      expect(bytes.toString('latin1')).not.toContain(first.get(unique_id)?.password)
    }
    // A second process reads the sealed (encrypted) passwords, as after a crash.
    const again = passwordsOf(runWith(random))
    expect(await again.of(db(), ids)).toEqual(first)
    await again.forget(db(), ids.slice(1))
    expect((await sealedRows()).map(({ unique_id }) => unique_id)).toEqual(['user 0'])
    expect((await again.of(db(), ['user 1'])).get('user 1')).not.toEqual(first.get('user 1'))
  })

  test('nobody gets a password if the configuration has no passwords and attendees are not synced [R53]', async () => {
    expect(await passwordsOf(runWith(undefined, {}, http, ['agenda'])).of(db(), ['1'])).toEqual(new Map())
  })

  test('sealed passwords cannot be opened with another key, and the error says so', async () => {
    await passwordsOf(runWith(random)).of(db(), ['1'])
    const other = passwordsOf(runWith(random, { KEY: randomBytes(32).toString('base64') }))
    await expect(other.of(db(), ['1'])).rejects.toThrow(/^sealingKey cannot open the passwords/)
  })

  test('a sealed password cannot be opened if it was changed or moved to another attendee [R73]', async () => {
    const passwords = passwordsOf(runWith(random))
    await passwords.of(db(), ['1', '2'])
    const [one, two] = await sealedRows()
    const put = (unique_id: string, sealed: Uint8Array) =>
      db().updateTable('sync.passwords').set({ sealed }).where('unique_id', '=', unique_id).execute()
    await put('1', two?.sealed ?? Buffer.alloc(0))
    await expect(passwords.of(db(), ['1'])).rejects.toThrow(/cannot open/)
    const bent = Buffer.from(one?.sealed ?? [])
    bent.writeUInt8(bent.readUInt8(30) ^ 1, 30)
    await put('1', bent)
    await expect(passwords.of(db(), ['1'])).rejects.toThrow(/cannot open/)
  })
})

describe.each(engines)('a run with random passwords, on %s', (engine) => {
  const { source, sync } = useSmallSync(engine)
  const platforms = usePlatforms()

  test('with random passwords, a run gives a password to the attendees that it creates, but not to existing attendees [spec 5.2.2, R72, R73]', async () => {
    const platform = await platforms.start()
    await sync({ platform })
    const [first, ...others] = source().records.Users ?? []
    const joined = { Id: 'u5', FirstName: 'Ada', LastName: 'Of u5', EmailAddress: 'u5@people.example' }
    source().records = {
      ...source().records,
      Users: [{ ...Object(first), LastName: 'Of another name' }, ...others, joined],
    }
    await platform.control('faults', { fault: 'failAfterCommit' })
    const passwords = { storeEncryptedPassword: true }
    expect((await sync({ platform, integration: { passwords } })).code).toBe(0)
    const { ledger } = await platform.control('ledger')
    const changed = ledger.filter(({ content }) => content === 'attendees').slice(4)
    expect(
      changed.map(({ uniqueId, effect, passwordGiven, storeEncryptedPassword }) =>
        [uniqueId, effect, passwordGiven, storeEncryptedPassword].join(' '),
      ),
    ).toEqual(['u1 updated false false', 'u5 created true true'])
  })
})
