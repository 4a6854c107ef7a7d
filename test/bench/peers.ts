import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loggedRun, succeeded } from './logged-run.ts'
import { type Measured, measure } from './measured.ts'
import type { Measure, Measurement } from './measurement.ts'
import { makePlace } from './place.ts'
import { settle, withNewDatabase, withServerTime } from './server.ts'

/** Settings of a peer: its own folder, and the addresses of the source and the database. */
type Settings = Readonly<Record<'folder' | 'sourceUrl' | 'databaseUrl', string>>

/** A program from PyPI that copies records into PostgreSQL. */
export interface Peer {
  readonly name: string
  /** Description of the peer's work in this benchmark. */
  readonly what: string
  /** Commands that print the versions of the programs. A command fails if its program is missing. */
  readonly versions: readonly (readonly [string, ...string[]])[]
  /** Writes what a load needs, such as a configuration. This work is not measured. */
  prepare?(settings: Settings): Promise<void> | void
  /** Returns the command that loads the records into the schema `loaded`. */
  load(settings: Settings): readonly [string, ...string[]]
}

const PYTHON = process.env.DLT_PYTHON ?? 'python3'

export const PEERS: readonly Peer[] = [
  {
    name: 'dlt',
    what: 'reads the pages of the source, and merges sessions and registrants by their ids',
    versions: [
      [
        PYTHON,
        '-c',
        'import dlt, psycopg2; print(f"dlt {dlt.__version__}, psycopg2 {psycopg2.__version__}")',
      ],
    ],
    load: ({ folder, sourceUrl, databaseUrl }) => [
      PYTHON,
      join(import.meta.dirname, './dlt_load.py'),
      sourceUrl,
      databaseUrl,
      folder,
    ],
  },
  {
    name: 'ingestr',
    what: 'reads a JSONL file of the same registrants, because it has no source for such pages, and merges them by their ids. It does not load sessions',
    versions: [['ingestr', '--version']],
    async prepare({ folder, sourceUrl }) {
      const file = join(folder, FILE)
      rmSync(file, { force: true })
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const answer = await fetch(`${sourceUrl}/api/v1/registrants.json?per-page=1000&page=${page}`)
        const { items, _meta }: Page = JSON.parse(await answer.text())
        appendFileSync(file, items.map((item) => `${JSON.stringify(withTexts(item))}\n`).join(''))
        pages = _meta.pageCount
      }
    },
    load: ({ folder, databaseUrl }) => [
      'ingestr',
      'ingest',
      ...['--source-uri', `jsonl://${join(folder, FILE)}`, '--source-table', 'registrants'],
      ...['--dest-uri', `${databaseUrl}?sslmode=disable`, '--dest-table', 'loaded.registrants'],
      ...['--incremental-strategy', 'merge', '--primary-key', 'id', '--yes'],
    ],
  },
  {
    name: 'Meltano',
    what: 'reads the pages of the source with `singer_tap.py`, and upserts sessions and registrants by their ids with target-postgres',
    versions: [
      ['meltano', '--version'],
      ['target-postgres', '--version'],
    ],
    prepare({ folder, sourceUrl, databaseUrl }) {
      const plugin = (name: string, executable: string, config: Readonly<Record<string, string>>) => ({
        name,
        namespace: name.replace('-', '_'),
        executable,
        settings: Object.keys(config).map((key) => ({ name: key })),
        config,
      })
      const loader = {
        sqlalchemy_url: databaseUrl.replace(/^postgres(ql)?:/, 'postgresql+psycopg:'),
        default_target_schema: 'loaded',
        load_method: 'upsert',
      }
      const tap = join(import.meta.dirname, './singer_tap.py')
      const plugins = {
        extractors: [plugin('tap-bench', tap, { source_url: sourceUrl })],
        loaders: [plugin('target-postgres', 'target-postgres', loader)],
      }
      // JSON is valid YAML.
      writeFileSync(
        join(folder, 'meltano.yml'),
        JSON.stringify({ default_environment: 'bench', environments: [{ name: 'bench' }], plugins }),
      )
    },
    load: ({ folder }) => ['meltano', '--cwd', folder, 'run', 'tap-bench', 'target-postgres'],
  },
]

/** The members of an answer of the source that this file reads. */
interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[]
  readonly _meta: { readonly pageCount: number }
}

/** Writes lists as JSON texts, because some records have a text in the place of a list. */
function withTexts(item: Page['items'][number]): object {
  const cells = Object.entries(item).map(([name, value]) => [
    name,
    Array.isArray(value) ? JSON.stringify(value) : value,
  ])
  return Object.fromEntries(cells)
}

/** Name of the file for a peer without a source for pages. */
const FILE = 'registrants.jsonl'

/** Variables that keep the peers from reporting their use over the network. */
const SILENT = {
  RUNTIME__DLTHUB_TELEMETRY: 'false',
  INGESTR_DISABLE_TELEMETRY: 'true',
  DISABLE_TELEMETRY: 'true',
  MELTANO_SEND_ANONYMOUS_USAGE_STATS: 'false',
}

/** Returns the versions of the programs of a peer; null if a program is missing on this machine. */
export function versionsOf({ versions }: Peer): readonly string[] | null {
  const ended = versions.map(([program, ...args]) => spawnSync(program, args, { encoding: 'utf8' }))
  if (ended.some(({ status }) => status !== 0)) return null
  return ended.map(({ stdout }) => stdout.trim().split('\n').at(-1) ?? '')
}

/** Says that no peer is installed on this machine; null if one is. */
export const withoutPeers = (): string | null =>
  PEERS.every((peer) => versionsOf(peer) === null)
    ? `none of ${PEERS.map(({ name }) => name).join(', ')} is installed; see test/bench/README.md`
    : null

/** Name of the product in the measurements. */
const OWN = 'event-sync'

/**
 * Measures a first run, two runs without changes, and a run with 1 % changed; and the same loads by each
 * installed peer, into databases of the same server. The product and its peers run in turn, so that other
 * load on the machine affects all of them.
 */
export const measurePeers: Measure = async ({ folder, postgresUrl, source }) => {
  const peers = PEERS.filter((peer) => versionsOf(peer) !== null)
  const loads = new Map<string, () => Promise<Cost>>()
  const measurements: Measurement[] = []

  async function measureSteps(): Promise<void> {
    // The first run without changes writes its files; the next run without changes shares these files.
    for (const what of ['first run', 'unchanged run', 'unchanged run, again', '1 % changed']) {
      if (what === '1 % changed') await source.serve('changed')
      const costs = new Map<string, Cost>()
      for (const [name, load] of loads) costs.set(name, await load())
      const [own, dlt] = [totalOf(costs.get(OWN)), totalOf(costs.get('dlt'))]
      const values = Object.fromEntries(
        Array.from(costs, ([name, { command, server }]) => [
          [`${name}CommandCpuSeconds`, command],
          [`${name}ServerCpuSeconds`, server],
        ]).flat(),
      )
      measurements.push({
        table: 'run beside peers',
        what,
        registrants: source.count,
        values: { ...values, ...(Number.isNaN(own / dlt) ? {} : { timesDlt: own / dlt }) },
      })
    }
  }

  /** Creates a database for each of these peers, and then measures. */
  async function measureWith([peer, ...rest]: readonly Peer[]): Promise<void> {
    if (peer === undefined) return measureSteps()
    return withNewDatabase(postgresUrl, (databaseUrl) => {
      const settings = { folder: join(folder, peer.name), sourceUrl: source.url, databaseUrl }
      mkdirSync(settings.folder)
      loads.set(peer.name, async () => {
        await peer.prepare?.(settings)
        const [program, ...args] = peer.load(settings)
        return costOf(databaseUrl, async () => succeeded(peer.name, await measure(program, args, SILENT)))
      })
      return measureWith(rest)
    })
  }

  return withNewDatabase(postgresUrl, async (databaseUrl) => {
    const place = makePlace({ folder: join(folder, 'runs'), databaseUrl, sourceUrl: source.url })
    loads.set(OWN, () => costOf(databaseUrl, () => loggedRun(place, 'run')))
    await measureWith(peers).finally(() => source.serve('original'))
    return measurements
  })
}

/** CPU seconds of a load. */
interface Cost {
  readonly command: number
  readonly server: number
}

const totalOf = (cost: Cost | undefined): number =>
  cost === undefined ? Number.NaN : cost.command + cost.server

async function costOf(databaseUrl: string, work: () => Promise<Measured>): Promise<Cost> {
  await settle(databaseUrl)
  const { run, cpuSeconds } = await withServerTime(databaseUrl, work)
  return { command: run.cpuSeconds, server: cpuSeconds - run.cpuSeconds }
}
