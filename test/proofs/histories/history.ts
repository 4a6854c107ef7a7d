import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../../sql/database.ts'
import { compareNamed, type Difference } from '../../harness/compare.ts'
import { makeRandom, type Random } from '../../harness/random.ts'
import type { FaultOrder } from '../../harness/sample-platform/faults.ts'
import { startSamplePlatform } from '../../harness/sample-platform/start.ts'
import type { Stage } from '../../harness/seeds.ts'
import { type SourceServer, startSource } from '../../harness/source-server.ts'
import { declare, type Tally } from '../../harness/tally.ts'
import { testEnvironment } from '../../pipeline/extract/support.ts'
import { backUp, restore } from './backup.ts'
import { type Clock, type Command, type Deed, execute, type Place } from './commands.ts'
import { comparePack } from './compare-pack.ts'
import { compareReports, compareState, faultsOf, type PlanHashes } from './compare-step.ts'
import { drawCommand } from './draw-command.ts'
import { sayFarewell } from './farewell.ts'
import { interfere } from './hand.ts'
import { happenings, recovered, withOwnAddresses } from './happenings.ts'
import { look } from './look.ts'
import { type HistoryModel, makeHistoryModel } from './model-history.ts'
import type { ExpectedReport, Run } from './model-report.ts'
import { countCrossings, countOutcomes } from './outcomes.ts'
import { type Due, drawPlatformFaults } from './platform-faults.ts'
import { findPurged } from './purged.ts'
import { changeSettings, drawSettings, type Settings } from './settings.ts'
import { type ServedReading, serveWorld } from './source-faults.ts'
import { makeWorld, type World } from './world.ts'
import { vocabularyA } from './world-a.ts'
import { vocabularyB } from './world-b.ts'

/** A history: all commands of one seed for one source, from the first to the last. */
interface History extends Place {
  readonly server: SourceServer
  readonly model: HistoryModel
  readonly hashes: PlanHashes
  readonly random: Random
  readonly tally: Tally
  /** Called with a line of text about each command. */
  readonly tell: ((line: string) => void) | undefined
}

declare('a day passes')
declare('source: all is as it was before')
declare('between runs: a plan is asked for')
declare('a database is set back')
declare('a pause ends by itself')

const HOUR_MS = 60 * 60 * 1000

/** The records and settings between two commands. */
interface Now {
  readonly world: World
  readonly settings: Settings
  /** The source's records at each command so far. */
  readonly past: readonly World[]
  /** True if someone else has changed the platform since the last command. */
  readonly isDisturbed: boolean
}

/** Number of items on a page of the platform: small, so that reading back all items takes several pages. */
const PAGE_SIZE = 9

/**
 * Opens the database and the source that all histories share; the histories run one after another. Each
 * history has a new platform.
 */
export async function openHistories(database: Database): Promise<Stage> {
  const clock = makeClock()
  const server = await startSource(clock.environment.now)
  return {
    async tryOut(type, seed, tally, tell) {
      const output = mkdtempSync(join(tmpdir(), 'histories-'))
      const integrationId = `history-${type}-${seed}`
      // The event id is different in each history, since ports are reused. With the same event id, items of
      // another history would be included in the sums.
      const random = makeRandom(seed * 2 + (type === 'a' ? 0 : 1))
      const uniqueAddresses = random.chance(0.5)
      const platform = await startSamplePlatform({
        storage: join(output, 'platform'),
        pageSize: PAGE_SIZE,
        eventId: integrationId,
        uniqueAddresses,
      })
      const model = makeHistoryModel(uniqueAddresses, integrationId)
      const hashes = { ofPlans: new Map(), plans: new Map() }
      const place = { type, ids: model.ids, database, platform, output: join(output, 'packs'), clock }
      // All histories read the same source event, for which items are left out.
      await database.kysely.deleteFrom('sync.suppressed').execute()
      await database.kysely.deleteFrom('sync.forgotten').execute()
      await database.kysely.deleteFrom('sync.forgotten_addresses').execute()
      try {
        return await play({ ...place, server, model, hashes, random, tally, tell })
      } finally {
        await platform.close()
        rmSync(output, { recursive: true })
      }
    },
    close: () => server.close(),
  }
}

/**
 * Makes an artificial clock. The clock advances while the product waits, by a millisecond each time it is
 * read, and if a test advances it.
 */
function makeClock(): Clock {
  const environment = testEnvironment()
  let passedMs = 0
  return {
    environment: {
      ...environment,
      now() {
        // Two readings of the clock are never equal, so that an approval is clearly before or after another
        // change.
        passedMs += 1
        return environment.now() + passedMs
      },
    },
    pass(ms) {
      passedMs += ms
    },
  }
}

/**
 * Runs the commands of a history, and compares each command and its effects with the model. Stops at the
 * first difference.
 */
async function play(history: History): Promise<readonly Difference[]> {
  const { type, random, model, tally, clock } = history
  const vocabulary = type === 'a' ? vocabularyA : vocabularyB
  let now: Now = {
    world: makeWorld(vocabulary, random, 24 + random.below(12), 6 + random.below(20)),
    settings: drawSettings(random),
    past: [],
    isDisturbed: false,
  }
  const count = 10 + random.below(9)
  const backedUpAfter = 1 + random.below(count - 2)
  const restoredBefore = random.chance(0.3) ? backedUpAfter + 1 + random.below(4) : null
  let setBack = () => Promise.resolve()
  for (let step = 1; step <= count; step += 1) {
    clock.pass(HOUR_MS / 60)
    if (step > 1) now = await goOn(history, now, step)
    if (step === restoredBefore) await setBack()
    passPause(history)
    const nowMs = clock.environment.now()
    const chances = { ...now, nowMs, isOperated: restoredBefore === null }
    const command = drawCommand(model, chances, random)
    const served = serveWorld(now.world, now.settings, random, tally, { share: 0.2, zoneOf: model.zoneOf })
    const orders = drawOrders(history, served, now, command)
    const found = await compare(history, served, now.settings, command, orders)
    if (found.length > 0) return found.map((one) => ({ ...one, path: `command ${step}: ${one.path}` }))
    if (step === backedUpAfter && restoredBefore !== null) setBack = await makeBackup(history)
  }
  return settle(history, now)
}

/**
 * Lets the end of a pause pass, sometimes, and always if it is near: a run could otherwise begin before the end
 * and plan after it.
 */
function passPause({ model, clock, random, tally }: History): void {
  const leftMs = (model.pausedUntilMs() ?? 0) - clock.environment.now()
  if (leftMs < 0 || (leftMs > 3 * HOUR_MS && random.chance(0.7))) return
  tally.count('a pause ends by itself')
  clock.pass(leftMs + 1000)
}

/**
 * Copies the rows of the integration.
 *
 * @returns a function that restores the database and the model, but not the platform and the packs
 */
async function makeBackup({ database, ids, model, tally }: History): Promise<() => Promise<void>> {
  const rows = await backUp(database, ids.stored)
  const setModelBack = model.backUp()
  return async () => {
    tally.count('a database is set back')
    await restore(database, ids.stored, rows)
    setModelBack()
  }
}

/** Changes source, platform and settings at random between two commands, and returns the new state. */
async function goOn(
  { clock, tally, platform, model, random }: History,
  { world, settings, past }: Now,
  step: number,
): Promise<Now> {
  if (random.chance(0.12)) {
    tally.count('a day passes')
    clock.pass(25 * HOUR_MS)
  }
  const isHeld = model.runs.at(-1)?.status === 'held'
  const isRecovered = random.chance(isHeld ? 0.3 : 0.1)
  // The source can return to an earlier state. Removals that were held and then became unnecessary can be
  // approved later in this way.
  const isAsBefore = past.length > 0 && random.chance(0.15)
  if (isAsBefore) tally.count('source: all is as it was before')
  const after = isAsBefore
    ? random.pick(past.slice(-4))
    : happenings(isRecovered ? recovered(world) : world, random, tally)
  const isDisturbed = model.hasSent() && random.chance(0.12)
  if (isDisturbed) {
    await platform.control('faults', [])
    model.platform.misbehave([])
    await interfere(platform, model.platform, step, random, tally)
  }
  return {
    world: after,
    settings: changeSettings(settings, random, tally),
    past: [...past, world],
    isDisturbed,
  }
}

function drawOrders(
  { model, clock, random, tally }: History,
  { reading }: ServedReading,
  { settings }: Now,
  command: Command,
): readonly FaultOrder[] {
  const nowMs = clock.environment.now()
  if (command.is !== 'run' && command.is !== 'apply') return []
  const onItsWay = model.onItsWay()
  const planned =
    command.is === 'run'
      ? model.preview(reading, settings, nowMs, command.refresh)
      : model.runs.findLast(({ hash }) => hash === command.hash)
  const due = [onItsWay, planned].flatMap((run): readonly Due[] =>
    run == null ? [] : run.outbox.changes.filter(({ state }) => state === 'pending' || state === 'sent'),
  )
  // Rollbacks are rare, so a fault of the connection is drawn more often for them.
  const share = planned?.rollbackTo != null ? 0.6 : 0.3
  return drawPlatformFaults(due, settings.batchSize, random, tally, share)
}

async function compare(
  history: History,
  { reading, served, play }: ServedReading,
  settings: Settings,
  command: Command,
  orders: readonly FaultOrder[],
): Promise<readonly Difference[]> {
  const { type, server, model, hashes, platform, database, clock, tally, tell } = history
  server.serve(served, play)
  await platform.control('faults', orders)
  model.platform.misbehave(orders)
  const nowMs = clock.environment.now()
  const wasPinned = model.isPinned(nowMs)
  const expected = foretell(model, type, reading, settings, command, nowMs)
  const ended = await execute(history, server.url, settings, command)
  const statuses = (reports: readonly { readonly status: string }[]) => reports.map(({ status }) => status)
  tell?.(
    JSON.stringify({
      command: { ...command, ...(command.is === 'rollback' && { to: command.to.id }) },
      settings,
      orders,
      expected: statuses(expected),
      ended: statuses(ended.reports),
    }),
  )
  countOutcomes(tally, command, expected, model)
  countCrossings(tally, command, expected, model, wasPinned)
  const broken = command.is === 'purge' ? await notePurge(history, nowMs, command.keepRuns) : []
  const found = await look(platform, database, model.ids.stored)
  return [
    ...broken,
    ...compareReports(expected, ended, hashes),
    ...(await comparePacks(expected, ended)),
    ...compareState(model, found),
    ...faultsOf(model, found),
  ]
}

/** Notes in the model which runs were purged, and returns the rules that this broke. */
async function notePurge({ database, model, tally }: History, nowMs: number, keepRuns: number) {
  const { purged, found } = await findPurged(database, model, nowMs, keepRuns)
  if (purged.length > 0) tally.count('a purge deletes history')
  model.purge(purged)
  return found
}

function foretell(
  model: HistoryModel,
  type: 'a' | 'b',
  reading: ServedReading['reading'],
  settings: Settings,
  command: Command,
  nowMs: number,
): readonly ExpectedReport[] {
  switch (command.is) {
    case 'run':
      return model.run(reading, settings, nowMs, command.refresh)
    case 'plan':
      return model.plan(reading, settings, nowMs)
    case 'apply':
      return model.apply(command.hash, settings, nowMs)
    case 'rollback':
      return model.rollBack(command.to, type, settings, nowMs)
    case 'rename':
      return model.rename(command.to)
    case 'pause':
      model.pause(command.untilMs)
      return []
    case 'resume':
      model.resume()
      return []
    case 'edit':
      model.ids.configured = command.to
      return []
    case 'suppress':
      model.suppress(command.item)
      return []
    case 'unsuppress':
      model.unsuppress(command.item)
      return []
    case 'purge':
    case 'forget':
      return []
  }
}

async function comparePacks(
  expected: readonly ExpectedReport[],
  { reports }: Awaited<ReturnType<typeof execute>>,
): Promise<readonly Difference[]> {
  const found: Difference[] = []
  for (const [index, { run }] of expected.entries()) {
    const folder = reports[index]?.output ?? null
    if (run === null || run.figures.length === 0) continue
    if (folder === null) found.push({ path: `report ${index + 1} output`, expected: 'a pack', actual: null })
    else found.push(...(await comparePack(folder, run)))
  }
  return found
}

/** Ends a pause and a renaming. */
async function calmDown(
  history: History,
  served: ServedReading,
  settings: Settings,
): Promise<readonly Difference[]> {
  const { configured, stored } = history.model.ids
  const deeds: readonly Deed[] = [
    ...(configured === stored ? [] : [{ is: 'edit', to: stored } as const]),
    { is: 'resume' },
  ]
  for (const deed of deeds) {
    const found = await compare(history, served, settings, deed, [])
    if (found.length > 0) return found
  }
  return []
}

/**
 * Ends a history without further faults, and approves held plans. After the last command the platform must
 * have the items of the source.
 */
async function settle(history: History, { world, settings }: Now): Promise<readonly Difference[]> {
  const { model, random } = history
  // The batch size is large: people who exchange addresses in a circle must be in one batch, since otherwise
  // the platform always rejects their changes.
  const calm: Settings = {
    ...settings,
    content: ['agenda', 'speakers', 'attendees'],
    removals: 'remove',
    batchSize: 50,
  }
  const served = serveWorld(withOwnAddresses(recovered(world)), calm, random, history.tally, {
    share: 0,
    zoneOf: model.zoneOf,
  })
  const calmed = await calmDown(history, served, calm)
  if (calmed.length > 0) return calmed
  let last: Run | undefined
  for (let round = 1; round <= 4; round += 1) {
    history.clock.pass(HOUR_MS / 60)
    const isHeld = last !== undefined && last.guards.length > 0 && last.status === 'held'
    const command: Command = isHeld
      ? { is: 'apply', hash: last?.hash ?? '' }
      : // The first run may only finish an earlier one, which ends with a sum that does not close.
        { is: 'run', refresh: round <= 2 }
    const quiet: Settings = { ...calm, onHold: 'stop' }
    const found = await compare(history, served, quiet, command, [])
    if (found.length > 0) return found
    last = model.runs.at(-1)
  }
  const source = last?.seen.desired ?? new Map()
  const found = [...model.platform.items].flatMap(([content, items]) =>
    compareNamed(`settled ${content}`, source.get(content) ?? new Map(), items),
  )
  if (found.length > 0 || !random.chance(0.5)) return found
  await history.platform.control('faults', [])
  return sayFarewell(history, history.server.url, { ...calm, onHold: 'stop' }, source)
}
