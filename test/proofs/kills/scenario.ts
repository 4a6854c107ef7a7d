import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VARIABLES } from '../../harness/place.ts'
import { type SourceType, STORIES, type Story } from '../../harness/sample-events.ts'
import type { FaultOrder } from '../../harness/sample-platform/faults.ts'
import { type SamplePlatform, samplePlatformDefaults } from '../../harness/sample-platform/start.ts'
import { countOf, type Death, type Ended, type Order, type Started, startRun } from './child.ts'
import { type Outcome, readOutcome } from './compare.ts'
import type { Databases } from './databases.ts'
import { openPlatforms, seen, type Target } from './platforms.ts'
import { type CountingSource, refusedItems, startSource } from './sources.ts'

const INTEGRATION = 'summit'

/** A sync without kills, with which syncs with kills are compared. */
export interface Undisturbed {
  readonly outcome: Outcome
  /** Number of requests in one run, by resource. */
  readonly requests: ReadonlyMap<string, number>
  readonly runMs: number
  /** The part of `runMs` after the run began to apply its plan. */
  readonly applyMs: number
  readonly finishedRuns: number
  /** Folder whose database and packs are copied at the start of each round. */
  readonly base: string
}

/**
 * A combination of source, engine and target, with a sync without kills for each story (first or second
 * sync).
 */
export interface Scenario {
  readonly name: string
  readonly target: Target
  readonly engine: Databases['engine']
  readonly source: CountingSource
  readonly stories: ReadonlyMap<Story, Undisturbed>
  /** Makes a folder with a copy of the database, packs and platform before the story. */
  open(story: Story): Promise<Workplace>
  close(): Promise<void>
}

/** A folder with configuration, database and packs, in which processes run one after another. */
export interface Workplace {
  readonly undisturbed: Undisturbed
  /** Starts a run that dies or halts at the given point. */
  start(death?: Death | null, clock?: Order['clock'], databaseUrl?: string): Started
  readonly databaseUrl: string
  /** Adds faults to the permanent faults of the platform. Has no effect if the target is files. */
  play(...faults: readonly FaultOrder[]): Promise<void>
  outcome(): Promise<Outcome>
  close(): Promise<void>
}

interface Whole {
  readonly ended: Ended
  /** Null if the process only created the database. */
  readonly outcome: Outcome | null
}

/** Starts the source and syncs each story once without kills. */
export async function openScenario(
  databases: Databases,
  type: SourceType,
  target: Target,
): Promise<Scenario> {
  const platforms = await openPlatforms(target)
  const refused = refusedItems(type)
  const source = await startSource(type, target === 'jsonl' ? 'whole' : 'small')
  const top = mkdtempSync(join(tmpdir(), `kills-${databases.engine}-${type}-`))
  const stories = new Map<Story, Undisturbed>()
  let opened = 0

  async function makeFolder(from: string | null): Promise<string> {
    opened += 1
    const folder = join(top, String(opened))
    await databases.make(folder, from)
    if (from !== null && existsSync(join(from, 'out'))) {
      cpSync(join(from, 'out'), join(folder, 'out'), { recursive: true })
    }
    const database = databases.engine === 'postgres' ? { database: 'env:DATABASE_URL' } : {}
    const integration = { id: INTEGRATION, source: source.config, ...platforms.integration }
    // JSON is YAML.
    writeFileSync(
      join(folder, 'event-sync.yaml'),
      JSON.stringify({ ...database, sealingKey: 'env:KEY', integrations: [integration] }),
    )
    return folder
  }

  const orderIn = (folder: string, finishedRuns: number): Order => ({
    config: join(folder, 'event-sync.yaml'),
    death: null,
    clock: 'leaping',
    finishedRuns,
    stateFile: join(folder, 'state.json'),
  })
  const variablesOf = (folder: string) => ({
    ...VARIABLES,
    PLATFORM_TOKEN: samplePlatformDefaults.token,
    ...databases.variables(folder),
  })
  const outcomeOf = async (folder: string, platform: SamplePlatform | null) =>
    readOutcome(join(folder, 'state.json'), join(folder, 'out', INTEGRATION), await seen(platform))

  /** Runs the integration in a folder, with a copy of another folder's platform, and reads the result. */
  async function runWhole(
    folder: string,
    from: string | null,
    finishedRuns: number,
    refusals: readonly FaultOrder[] = [],
  ): Promise<Whole> {
    const platform = await platforms.open(folder, from)
    try {
      await platform?.control('faults', refusals)
      const ended = await startRun(orderIn(folder, finishedRuns), variablesOf(folder)).ended
      const outcome = ended.code === 0 && finishedRuns > 0 ? await outcomeOf(folder, platform) : null
      if (ended.code === 0 && (outcome?.faults ?? []).length === 0) return { ended, outcome }
      throw new Error(
        `an undisturbed run of ${type} failed: ${ended.stderr}${JSON.stringify([ended.told, outcome?.faults])}`,
      )
    } finally {
      await platform?.close()
    }
  }

  let base = await makeFolder(null)
  await runWhole(base, null, 0)
  for (const [index, story] of STORIES.entries()) {
    source.show(story)
    const folder = await makeFolder(base)
    // Each story has two more runs: a run with changes, and a run that must find no changes.
    const finishedRuns = index + 2
    const before = source.asked()
    const { ended, outcome } = await runWhole(folder, base, finishedRuns, refused[story])
    if (outcome === null) throw new Error(`story ${story} has no run`)
    const requests = perRun(before, source.asked(), countOf(ended, 'run opened'))
    const { runMs, applyMs } = ended
    stories.set(story, { outcome, requests, runMs, applyMs, finishedRuns, base })
    if (index === STORIES.length - 1) break
    // The next story begins with the state at the end of this story.
    const next = await makeFolder(base)
    await runWhole(next, base, index + 1)
    base = next
  }

  return {
    name: `${type} on ${databases.engine} to ${target}`,
    target,
    engine: databases.engine,
    source,
    stories,
    async open(story) {
      const undisturbed = stories.get(story)
      if (undisturbed === undefined) throw new Error(`there is no story ${story}`)
      source.show(story)
      const folder = await makeFolder(undisturbed.base)
      const databaseUrl = databases.variables(folder).DATABASE_URL ?? ''
      const platform = await platforms.open(folder, undisturbed.base)
      const play = async (...faults: readonly FaultOrder[]) =>
        void (await platform?.control('faults', [...refused[story], ...faults]))
      await play()
      return {
        undisturbed,
        start(death = null, clock = 'leaping', DATABASE_URL = databaseUrl) {
          const order = { ...orderIn(folder, undisturbed.finishedRuns), death, clock }
          return startRun(order, { ...variablesOf(folder), DATABASE_URL })
        },
        databaseUrl,
        play,
        outcome: () => outcomeOf(folder, platform),
        async close() {
          await platform?.close()
          await databases.drop(folder)
          rmSync(folder, { recursive: true, force: true })
        },
      }
    },
    async close() {
      await source.close()
      rmSync(top, { recursive: true, force: true })
    },
  }
}

function perRun(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  runs: number,
): ReadonlyMap<string, number> {
  return new Map(
    [...after].map(([resource, count]) => [resource, (count - (before.get(resource) ?? 0)) / runs]),
  )
}
