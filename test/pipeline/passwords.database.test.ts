import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { configSchema } from '../../pipeline/config/config.ts'
import type { RunContext } from '../../pipeline/context/run-context.ts'
import { passwordsOf as passwordsFor } from '../../pipeline/platform/watched-outbox.ts'
import { engines } from '../support/engines.ts'
import { emptyTables } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'
import { openRun } from './extract/support.ts'

const passwordsOf = (run: RunContext) => passwordsFor(run, run.integration)
const KEY = randomBytes(32).toString('base64')
const source = { type: 'a', url: 'http://127.0.0.1:9', eventId: '1' }
const http = { type: 'http', url: 'https://platform.example', eventId: '1', token: 'env:TOKEN' }

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  /** A run of an integration with such passwords. */
  function runWith(
    passwords: unknown,
    variables: Readonly<Record<string, string>> = {},
    platform = http,
  ): RunContext {
    const run = openRun(database(), source)
    const config = configSchema.parse({
      sealingKey: 'env:KEY',
      integrations: [{ id: 'event', source, platform, passwords }],
    })
    const [integration = run.integration] = config.integrations
    const env = { KEY, GLOBAL: 'one for all', ...variables }
    return { ...run, config, integration, secrets: { ...run.secrets, env } }
  }

  const random = { mode: 'random', storeEncryptedPassword: true }
  const sealedRows = () => db().selectFrom('sync.passwords').orderBy('unique_id').selectAll().execute()

  test('global: the same for everybody, and nothing is stored', async () => {
    const passwords = passwordsOf(runWith({ mode: 'global', global: 'env:GLOBAL' }))
    expect(await passwords.of(db(), ['1', '2'])).toEqual(
      new Map([
        ['1', 'one for all'],
        ['2', 'one for all'],
      ]),
    )
    expect(await sealedRows()).toEqual([])
  })

  test('none, and a platform that takes none: nobody gets one', async () => {
    for (const run of [
      runWith({ mode: 'none' }),
      runWith(random, {}, { type: 'jsonl' } as unknown as typeof http),
    ]) {
      expect(await passwordsOf(run).of(db(), ['1'])).toEqual(new Map())
    }
    expect(await sealedRows()).toEqual([])
  })

  test('random: six characters without look-alikes, sealed, and the same each time until it has landed [spec 5.2.2, R53]', async () => {
    const ids = Array.from({ length: 200 }, (_, place) => `user ${place}`)
    const first = await passwordsOf(runWith(random)).of(db(), ids)
    for (const password of first.values()) expect(password).toMatch(/^[a-zA-Z0-9]{6}$/)
    expect([...first.values()].join('')).not.toMatch(/[0O1lIi5S8B2Z]/)
    expect(new Set(first.values()).size).toBeGreaterThan(190)
    const rows = await sealedRows()
    expect(rows).toHaveLength(200)
    for (const { unique_id, sealed } of rows) {
      const bytes = Buffer.from(sealed)
      expect(bytes).toHaveLength(12 + 16 + 6)
      expect(bytes.toString('latin1')).not.toContain(first.get(unique_id))
    }
    // Another process, as after a crash.
    const again = passwordsOf(runWith(random))
    expect(await again.of(db(), ids)).toEqual(first)
    await again.forget(db(), ids.slice(1))
    expect((await sealedRows()).map(({ unique_id }) => unique_id)).toEqual(['user 0'])
    expect((await again.of(db(), ['user 1'])).get('user 1')).not.toBe(first.get('user 1'))
  })

  test('another key does not open what was sealed, and says so', async () => {
    await passwordsOf(runWith(random)).of(db(), ['1'])
    const other = passwordsOf(runWith(random, { KEY: randomBytes(32).toString('base64') }))
    await expect(other.of(db(), ['1'])).rejects.toThrow(/^sealingKey cannot open the passwords/)
  })

  test('a cell that was changed or moved to another attendee does not open [R73]', async () => {
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
