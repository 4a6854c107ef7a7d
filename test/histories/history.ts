import type { FaultOrder } from '../../pipeline/demo/sample-platform/faults.ts'
import type { SamplePlatform } from '../../pipeline/demo/sample-platform/start.ts'
import type { Difference } from '../model/compare.ts'
import { makeRandom, type Random } from '../model/random.ts'
import type { Server } from '../model/serve.ts'
import { declare, type Tally } from '../model/tally.ts'
import { type Command, type Ended, execute, type Place } from './commands.ts'
import { comparePack } from './compare-pack.ts'
import { compareReports, compareState, faultsOf } from './compare-step.ts'
import { describeCommand } from './describe-command.ts'
import { findTampering } from './find-tampering.ts'
import { interfere } from './hand.ts'
import { happenings, mended } from './happenings.ts'
import { look } from './look.ts'
import { type HistoryModel, makeHistoryModel } from './model-history.ts'
import type { ExpectedReport, Run } from './model-report.ts'
import { countOutcomes } from './outcomes.ts'
import { makePlanHashes, type PlanHashes } from './plan-hashes.ts'
import { type Due, drawPlatformFaults } from './platform-faults.ts'
import { changeSettings, drawSettings, type Settings } from './settings.ts'
import { type ServedReading, serveWorld } from './source-faults.ts'
import { makeWorld, type World } from './world.ts'
import { vocabularyA } from './world-a.ts'
import { vocabularyB } from './world-b.ts'

/** One seed of one source, from the first command to the last. */
export interface History extends Omit<Place, 'platform'> {
  readonly seed: number
  readonly server: Server
  readonly platform: SamplePlatform
  readonly tally: Tally
  /** Told of each command, for people. */
  readonly tell?: (line: string) => void
}

export interface HistoryDifference extends Difference {
  /** The command, from 1. */
  readonly step: number
}

declare('a day passes')
declare('source: all is as it was before')
declare('between runs: a plan is asked for')

const HOUR_MS = 60 * 60 * 1000

/** What goes on from one command to the next. */
interface Now {
  readonly world: World
  readonly settings: Settings
  /** Of the commands so far. */
  readonly past: readonly World[]
  /** Whether another hand has just been at the platform. */
  readonly isDisturbed: boolean
}

/** Plays a history, and compares each command, and all that it leaves, with the model; ends at the first difference. */
export async function play(history: History): Promise<readonly HistoryDifference[]> {
  const { type, seed, tally, clock } = history
  const random = makeRandom(seed * 2 + (type === 'a' ? 0 : 1))
  const model = makeHistoryModel()
  const hashes = makePlanHashes()
  const vocabulary = type === 'a' ? vocabularyA : vocabularyB
  let now: Now = {
    world: makeWorld(vocabulary, random, 24 + random.below(12), 6 + random.below(20)),
    settings: drawSettings(random),
    past: [],
    isDisturbed: false,
  }
  const count = 8 + random.below(8)
  for (let step = 1; step <= count; step += 1) {
    clock.pass(HOUR_MS / 60)
    if (step > 1) now = await goOn(history, now, model, step, random)
    const command = drawCommand(model, now, random)
    const served = serveWorld(now.world, now.settings, random, tally, { share: 0.2, zoneOf: model.zoneOf })
    const orders = drawOrders(model, served, now, command, clock.environment.now(), random, tally)
    const found = await compare(history, model, hashes, served, now.settings, command, orders)
    if (found.length > 0) return found.map((difference) => ({ ...difference, step }))
  }
  const found = await settle(history, model, hashes, now, random)
  return found.map((difference) => ({ ...difference, step: count + 1 }))
}

/** What happens between two commands. */
async function goOn(
  { clock, tally, platform }: History,
  { world, settings, past }: Now,
  model: HistoryModel,
  step: number,
  random: Random,
): Promise<Now> {
  if (random.chance(0.12)) {
    tally.count('a day passes')
    clock.pass(25 * HOUR_MS)
  }
  const isHeld = model.runs.at(-1)?.status === 'held'
  const isMended = random.chance(isHeld ? 0.3 : 0.1)
  // Back and forth: what was held, then gone, then approved all the same.
  const isAsBefore = past.length > 0 && random.chance(0.15)
  if (isAsBefore) tally.count('source: all is as it was before')
  const after = isAsBefore
    ? random.pick(past.slice(-4))
    : happenings(isMended ? mended(world) : world, random, tally)
  const isDisturbed = random.chance(0.12)
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

function drawCommand(model: HistoryModel, { isDisturbed }: Now, random: Random): Command {
  const stored = model.runs.filter(({ status }) => status === 'planned' || status === 'held')
  const current = stored.filter(({ base }) => base === model.base())
  const chosen =
    current.length > 0 && random.chance(0.35)
      ? random.chance(0.6)
        ? current.at(-1)
        : random.pick(current)
      : stored.length > 0 && random.chance(0.08)
        ? random.pick(stored)
        : undefined
  if (chosen !== undefined) return { is: 'apply', hash: chosen.hash ?? '' }
  if (random.chance(0.02)) return { is: 'apply', hash: 'f'.repeat(64) }
  if (random.chance(0.12)) return { is: 'plan' }
  return { is: 'run', refresh: random.chance(isDisturbed ? 0.7 : 0.06) }
}

function drawOrders(
  model: HistoryModel,
  { reading }: ServedReading,
  { settings }: Now,
  command: Command,
  nowMs: number,
  random: Random,
  tally: Tally,
): readonly FaultOrder[] {
  if (command.is === 'plan') return []
  const onItsWay = model.onItsWay()
  const planned =
    command.is === 'run'
      ? model.preview(reading, settings, nowMs, command.refresh)
      : model.runs.findLast(({ hash }) => hash === command.hash)
  const due = [onItsWay, planned].flatMap((run): readonly Due[] =>
    run == null ? [] : run.outbox.changes.filter(({ state }) => state === 'pending' || state === 'sent'),
  )
  return drawPlatformFaults(due, settings.batchSize, random, tally)
}

async function compare(
  history: History,
  model: HistoryModel,
  hashes: PlanHashes,
  { reading, served, spoil }: ServedReading,
  settings: Settings,
  command: Command,
  orders: readonly FaultOrder[],
): Promise<readonly Difference[]> {
  const { server, platform, database, integrationId, clock, tally, tell } = history
  server.serve(served, spoil)
  await platform.control('faults', orders)
  model.platform.misbehave(orders)
  const nowMs = clock.environment.now()
  const expected = foretell(model, reading, settings, command, nowMs)
  const ended = await execute({ ...history, platform }, settings, command)
  tell?.(describeCommand(command, settings, reading, orders, expected, ended))
  countOutcomes(tally, command, expected, model)
  const found = await look(platform, database, integrationId)
  const last = expected.at(-1)?.run ?? null
  return [
    ...compareReports(expected, ended),
    ...noteHashes(hashes, expected, ended),
    ...(await comparePacks(expected, ended)),
    ...compareState(model, found),
    ...faultsOf(model, last, found),
  ]
}

function foretell(
  model: HistoryModel,
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
  }
}

function noteHashes(
  hashes: PlanHashes,
  expected: readonly ExpectedReport[],
  { reports }: Ended,
): readonly Difference[] {
  return expected.flatMap(({ run }, index) => {
    const report = reports[index]
    return run === null || report === undefined ? [] : hashes.note(run, report)
  })
}

async function comparePacks(
  expected: readonly ExpectedReport[],
  { reports }: Ended,
): Promise<readonly Difference[]> {
  const found: Difference[] = []
  for (const [index, { run }] of expected.entries()) {
    const folder = reports[index]?.output ?? null
    if (run === null || run.figures.length === 0) continue
    if (folder === null) found.push({ path: `report ${index + 1} output`, expected: 'a pack', actual: null })
    else found.push(...comparePack(folder, run), ...(await findTampering(folder, run)))
  }
  return found
}

/** Once nothing misbehaves and whoever is asked approves, the platform has what the source says. */
async function settle(
  history: History,
  model: HistoryModel,
  hashes: PlanHashes,
  { world, settings }: Now,
  random: Random,
): Promise<readonly Difference[]> {
  const calm: Settings = { ...settings, content: ['agenda', 'speakers', 'attendees'], removals: 'remove' }
  const served = serveWorld(mended(world), calm, random, history.tally, { share: 0, zoneOf: model.zoneOf })
  let last: Run | undefined
  for (let round = 1; round <= 4; round += 1) {
    history.clock.pass(HOUR_MS / 60)
    const isHeld = last !== undefined && last.guards.length > 0 && last.status === 'held'
    const command: Command = isHeld
      ? { is: 'apply', hash: last?.hash ?? '' }
      : // The first may do no more than finish one before, which ends with a sum that does not close.
        { is: 'run', refresh: round <= 2 }
    const quiet: Settings = { ...calm, onHold: 'stop' }
    const found = await compare(history, model, hashes, served, quiet, command, [])
    if (found.length > 0) return found
    last = model.runs.at(-1)
  }
  const wanted = last?.seen.desired ?? new Map()
  const isSettled = [...model.platform.items].every(([content, items]) =>
    sameItems(items, wanted.get(content) ?? new Map()),
  )
  return isSettled ? [] : [{ path: 'settled', expected: wanted, actual: model.platform.items }]
}

function sameItems(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  const text = (items: ReadonlyMap<string, unknown>) =>
    [...items].map(([id, fields]) => JSON.stringify([id, Object.entries(Object(fields)).sort()])).sort()
  return JSON.stringify(text(one)) === JSON.stringify(text(other))
}
