import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { beforeAll, expect, inject, test } from 'vitest'
import { startSampleSourceA } from '../harness/sample-source/a.ts'
import { startSampleSourceB } from '../harness/sample-source/b.ts'
import { useOneFolder } from '../support/folder.ts'
import { createDatabase } from '../support/postgres.ts'
import { credentialsOfB, integrationOfA, integrationOfB } from './commands/small-event.ts'
import { nastyEventOfA, nastyEventOfB } from './nasty-event.ts'
import type { Order } from './same-bytes.ts'

// The tests make packs of two runs of two unusual events, with four settings, in three databases. The
// processes have different locales and time zones but the same fixed time. Every pack must have the same
// files with the same bytes. Packs that `export` writes again must also have the same bytes.

const SCRIPT = fileURLToPath(new URL('./same-bytes.ts', import.meta.url))

const SETTINGS = [
  { name: 'full', audit: { personalData: 'full', excel: false } },
  { name: 'full-excel', audit: { personalData: 'full', excel: true } },
  { name: 'masked', audit: { personalData: 'masked', excel: false } },
  { name: 'masked-excel', audit: { personalData: 'masked', excel: true } },
] as const
const SOURCES = ['a', 'b'] as const
const PACKS = SETTINGS.flatMap(({ name }) => SOURCES.map((source) => `${name}-${source}`))
const ROUNDS = [0, 1] as const

/**
 * The locales and time zones of the processes. On each database, processes with several locales and time
 * zones run.
 */
const LANDS = [
  { LC_ALL: 'C', LANG: 'C', TZ: 'UTC' },
  { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Apia' },
  { LC_ALL: 'sv_SE.UTF-8', LANG: 'sv_SE.UTF-8', TZ: 'America/St_Johns' },
  { LC_ALL: 'ar_EG.UTF-8', LANG: 'ar_EG.UTF-8', TZ: 'Asia/Kathmandu' },
]

/**
 * Defaults that an administrator may set for a database, and planner settings that change the order of
 * returned rows.
 */
const ODD_DEFAULTS = [
  "timezone = 'Australia/Lord_Howe'",
  "datestyle = 'German'",
  "intervalstyle = 'sql_standard'",
  "bytea_output = 'escape'",
  'extra_float_digits = -5',
  'standard_conforming_strings = off',
  'array_nulls = off',
  'transform_null_equals = on',
  'enable_hashjoin = off',
  'enable_indexscan = off',
]

interface Place {
  readonly name: string
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

const made = useOneFolder()
const places: Place[] = []

/**
 * Returns the run id of each integration. The run ids are unique within a database, so that `export` finds
 * each run.
 */
function runIdsOf(round: 0 | 1): Record<string, string> {
  const ids = PACKS.map((id, n) => [id, `01a1fda0-000${round}-7000-8000-00000000000${n}`] as const)
  return Object.fromEntries(ids)
}

async function makePlace(name: string, sources: Readonly<Record<'a' | 'b', string>>): Promise<Place> {
  const folder = join(made, name)
  mkdirSync(folder)
  const isEmbedded = name === 'pglite'
  const locale = name === 'postgres-c' ? "locale_provider libc locale 'C'" : undefined
  const url = isEmbedded ? '' : await createDatabase(inject('postgresUrl'), locale)
  if (name === 'postgres-c') await setDefaults(url)
  for (const { name: setting, audit } of SETTINGS) {
    const more = { guards: { massUpdate: 1, blackout: false }, removals: { maxShare: 1 }, handover: 'update' }
    const ofB = integrationOfB(`${setting}-b`, sources.b)
    const config = {
      ...(isEmbedded ? {} : { database: 'env:DATABASE_URL' }),
      output: `out of ${name}`,
      audit,
      integrations: [
        integrationOfA(`${setting}-a`, sources.a, more),
        { ...ofB, ...more, source: { ...ofB.source, timeZone: 'Europe/Berlin' } },
      ],
    }
    writeFileSync(join(folder, `${setting}.yaml`), JSON.stringify(config))
  }
  return { name, folder, env: { ...credentialsOfB, DATABASE_URL: url } }
}

async function setDefaults(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const name = new URL(url).pathname.slice(1)
  for (const setting of ODD_DEFAULTS) await client.query(`alter database ${name} set ${setting}`)
  await client.end()
}

/** Runs a Node program with the database of a place, and with a locale and time zone from the list LANDS. */
async function inLand(place: Place, land: number, cwd: string, args: readonly string[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, ...place.env, ...LANDS[land % LANDS.length] }
  return (await promisify(execFile)(process.execPath, args, { cwd, env })).stdout
}

function orderOf({ folder }: Place, work: Order['work'], round: 0 | 1): string {
  const configs = SETTINGS.map(({ name }) => join(folder, `${name}.yaml`))
  return JSON.stringify({ work, configs, runIds: runIdsOf(round) } satisfies Order)
}

const packsOf = (place: Place, pack: string) => join(place.folder, `out of ${place.name}`, pack)
const folderOf = (place: Place, pack: string, round: 0 | 1) =>
  join(packsOf(place, pack), runIdsOf(round)[pack] ?? '')

/**
 * Returns the files of a pack. The files are decoded as latin1, so that every byte is compared, even in
 * invalid UTF-8.
 */
function filesOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  )
}

beforeAll(async () => {
  const [a, b] = [
    await startSampleSourceA(nastyEventOfA(0), { pageCap: 7 }),
    await startSampleSourceB(nastyEventOfB(0), {
      pageCap: 7,
      now: () => Date.UTC(2031, 4, 4, 12),
      creditsPerTenMinutes: 1_000_000,
    }),
  ]
  for (const name of ['pglite', 'postgres-icu', 'postgres-c'])
    places.push(await makePlace(name, { a: a.url, b: b.url }))
  for (const round of ROUNDS) {
    a.setData(nastyEventOfA(round))
    b.setData(nastyEventOfB(round))
    for (const [n, place] of places.entries())
      await inLand(place, n + round, place.folder, [SCRIPT, orderOf(place, 'run', round)])
  }
  await Promise.all([a.close(), b.close()])
}, 600_000)

const everyPack = PACKS.flatMap((pack) => ROUNDS.map((round) => [pack, round] as const))

test.each(everyPack)(
  '%s, round %i: every file has the same bytes, whatever the engine, the locale and the time zone',
  (pack, round) => {
    const [first, ...others] = places.map((place) => filesOf(folderOf(place, pack, round)))
    expect(Object.keys(first ?? {})).toHaveLength(15)
    expect(first?.['changes.csv']?.length).toBeGreaterThan(5_000)
    for (const other of others) expect(other).toEqual(first)
  },
)

test('each setting of the packs has its effect on the files', () => {
  const [place] = places
  if (place === undefined) throw new Error('no place was made')
  const read = (pack: string) => filesOf(folderOf(place, pack, 1))
  expect(read('full-a')['attendees.csv']).toMatch(/^unique_id,/)
  expect(read('full-excel-a')['attendees.csv']).toBe(`\xef\xbb\xbf${read('full-a')['attendees.csv']}`)
  expect(read('full-b')['attendees.csv']).toContain('0@people.example')
  expect(read('masked-excel-b')['attendees.csv']).not.toContain('people.example')
  const notes = everyPack.map(([pack, round]) => filesOf(folderOf(place, pack, round))['README.txt'])
  // The text of README.txt depends only on the settings, and not on the run or the source.
  expect(new Set(notes).size).toBe(SETTINGS.length)
})

test('export from another folder writes every pack again with the same bytes, and writes no other files', async () => {
  for (const [n, place] of places.entries()) {
    const folders = everyPack.map(([pack, round]) => folderOf(place, pack, round))
    const before = folders.map(filesOf)
    for (const folder of folders) rmSync(folder, { recursive: true })
    for (const round of ROUNDS)
      await inLand(place, n + round + 2, made, [SCRIPT, orderOf(place, 'export', round)])
    expect(folders.map(filesOf)).toEqual(before)
    for (const pack of PACKS)
      expect(readdirSync(packsOf(place, pack)).sort()).toEqual([
        ...ROUNDS.map((round) => runIdsOf(round)[pack]),
        'verify.py',
      ])
    expect(
      readdirSync(place.folder)
        .filter((name) => !/\.yaml$/.test(name))
        .sort(),
    ).toEqual([...(place.name === 'pglite' ? ['.event-sync'] : []), `out of ${place.name}`])
  }
})
