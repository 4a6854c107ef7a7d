import { isDeepStrictEqual } from 'node:util'
import { isStated, judgePlan, type Removed } from '../model/model-guards.ts'
import type { Fields } from '../model/model-items.ts'
import { type PlannedItem, planItems } from '../model/model-plan.ts'
import { type ReadSource, type State, see } from '../model/model-run.ts'
import { zoneOfSession } from '../model/model-session-times.ts'
import type { Content } from '../model/options.ts'
import { type ModelPlatform, makeModelPlatform } from './model-platform.ts'
import { openFigures, reconcileModel } from './model-reconciliation.ts'
import { type ExpectedReport, type Pin, type Run, refusal, reportOf } from './model-report.ts'
import { type KeptOut, planWayBack, seenOf } from './model-rollback.ts'
import { type Change, type Sent, send } from './model-sending.ts'
import type { Settings } from './settings.ts'

export interface Reading {
  readonly source: ReadSource
  /** False if at least one resource cannot be read to its end. */
  readonly isReadable: boolean
}

const DAY_MS = 24 * 60 * 60 * 1000
const CONTENTS = ['agenda', 'speakers', 'attendees'] as const

/** The model of a history: the expected state of an integration and its platform after each command. */
export interface HistoryModel {
  readonly platform: ModelPlatform
  /** The items that are on the platform according to the integration's database. */
  readonly known: ReadonlyMap<Content, ReadonlyMap<string, Fields>>
  readonly runs: readonly Run[]
  readonly onItsWay: () => Run | null
  readonly base: () => number
  /** Returns true if the integration has ever started to send a plan. */
  readonly hasSent: () => boolean
  /** Returns the time zone with which the records of a resource were last read. */
  readonly zoneOf: (resource: string) => string | undefined
  /** Returns the plan that a run with these records would make, without changing the model. */
  preview(reading: Reading, settings: Settings, nowMs: number, isRefreshed: boolean): Run
  run(reading: Reading, settings: Settings, nowMs: number, isRefreshed: boolean): readonly ExpectedReport[]
  plan(reading: Reading, settings: Settings, nowMs: number): readonly ExpectedReport[]
  apply(hash: string, settings: Settings, nowMs: number): readonly ExpectedReport[]
  rollBack(to: Run, type: 'a' | 'b', settings: Settings, nowMs: number): readonly ExpectedReport[]
  /** @param untilMs the end of the pause; null until `resume` */
  pause(untilMs: number | null): void
  resume(): void
  isPinned(nowMs: number): boolean
  /** End of the pause; null if the integration is not paused, or is paused until `resume`. */
  readonly pausedUntilMs: () => number | null
  /** The id of the integration in the configuration, and in the database. */
  readonly ids: { configured: string; stored: string }
  rename(to: string): readonly ExpectedReport[]
  /** The items that are left out by hand, each as content and unique ID. */
  readonly suppressed: ReadonlyMap<string, Item>
  suppress(item: Item): void
  unsuppress(item: Item): void
  readonly keptOut: KeptOut
  /** The applied runs, in the order in which their plans were applied. */
  readonly applied: readonly Run[]
  itemsAfter(run: Run): ReadonlyMap<Content, ReadonlyMap<string, Fields>>
  /** Returns why a rollback to a run is refused; null if it is not. */
  refuseTarget(run: Run): string | null
  /** Returns the run with which guards compare the next plan. */
  reference(): Run | null
  /** Notes that the history of these runs was deleted. */
  purge(runs: readonly Run[]): void
  /**
   * Copies the state of the integration. Returns a function that restores the copied state, but neither the
   * platform nor the packs.
   */
  backUp(): () => void
  /** Returns true if the database is older than the packs or the platform. */
  isBehind(): boolean
  /**
   * Runs that are unfinished in a database restored from a backup. The restored database does not know which
   * changes of these runs were applied after the backup.
   */
  readonly unsure: ReadonlySet<Run>
}

/** An item of a content. */
export interface Item {
  readonly content: Content
  readonly uniqueId: string
}

export function makeHistoryModel(hasUniqueAddresses: boolean, integrationId: string): HistoryModel {
  const ids = { configured: integrationId, stored: integrationId }
  let pin: Pin | null = null
  const suppressed = new Map<string, Item>()
  /** Items that someone else changed on the platform, as far as a reading of the platform showed it. */
  const byHand = new Map<string, Item>()
  const platform = makeModelPlatform(hasUniqueAddresses)
  const known = new Map<Content, Map<string, Fields>>(CONTENTS.map((content) => [content, new Map()]))
  const readBack = new Set<Content>()
  /** The contents that were ever read back. A refresh empties `readBack`, but the known items stay. */
  const everReadBack = new Set<Content>()
  /**
   * Items that the platform had when a content was read back for the first time. An item is deleted from the
   * list when a plan creates or updates it.
   */
  const preexisting = new Map<Content, Set<string>>(CONTENTS.map((content) => [content, new Set()]))
  const zones = new Map<string, string>()
  const runs: Run[] = []
  /** The applied runs, in the order in which their plans were applied. */
  const applied: Run[] = []
  let staged: Pick<State, 'resources' | 'memories' | 'filled'> = { resources: {}, memories: {}, filled: {} }
  let base = 0
  let onItsWay: Run | null = null
  /** Names of the runs whose packs the database knows, including packs that it knows to be missing. */
  let packsKnown: readonly string[] = []
  /** Fence number of the last run that sent a batch, according to the database. */
  let fence = 0
  let begun = 0
  /** Names of the runs that wrote a pack. */
  const packs: string[] = []
  const unsure = new Set<Run>()

  const knowledge = {
    items: known,
    moved: () => {
      base += 1
    },
  }

  /**
   * Returns the last applied run whose plan was not held, or was approved after it had been held. Source:
   * transforms/README.md#what-holds-a-plan.
   */
  function lastApplied(live: ReadonlyMap<Content, ReadonlyMap<string, Fields>>): Run | null {
    return hasItems(live) ? comparedUpTo(applied.at(-1) ?? null) : null
  }

  /** Returns the run with which guards compare if no run after this one was applied. */
  function comparedUpTo(last: Run | null): Run | null {
    const isWhole = ({ guards, approvedAtMs }: Run) => guards.length === 0 || approvedAtMs !== null
    const upTo = (run: Run | null) =>
      run === null ? null : (applied.slice(0, applied.indexOf(run) + 1).findLast(isWhole) ?? null)
    let found = upTo(last)
    // After a rollback, the platform has what it had after the run to which the rollback went back.
    while (found !== null && found.rollbackTo !== null) found = upTo(found.rollbackTo)
    return found
  }

  const isPinned = (nowMs: number) => pin !== null && (pin.untilMs === null || pin.untilMs > nowMs)

  /** While the integration is pinned, a plan is not sent on. An approved rollback is sent to its end. */
  const mayNotSend = (run: Run | null, nowMs: number) =>
    run !== null && run.status !== 'applied' && run.rollbackTo === null && isPinned(nowMs)

  const keptOut: KeptOut = (content, uniqueId) =>
    suppressed.has(keyOf({ content, uniqueId })) ? 'suppressed' : null

  const isUnknown = () => ids.configured !== ids.stored

  /** Removes from each plan that waits the possibility to apply it. */
  function makePlansStale(): void {
    for (const run of runs) if (run.status === 'planned' || run.status === 'held') run.isStale = true
  }

  /**
   * Lists the items that were removed during the last day, for one kind of removals. If someone approved a
   * plan with such removals during that day, only later removals are listed. Source:
   * transforms/README.md#what-holds-a-plan.
   */
  function recentRemovals(nowMs: number, counts: (change: Change) => boolean): Removed {
    const approvals = runs.flatMap(({ approvedAtMs, outbox }) =>
      outbox.changes.some(counts) ? (approvedAtMs ?? []) : [],
    )
    const sinceMs = Math.max(nowMs - DAY_MS, ...approvals)
    const removed = new Map<Content, Set<string>>()
    for (const { approvedAtMs, appliedAtMs, outbox } of applied) {
      if (approvedAtMs !== null || appliedAtMs === null || appliedAtMs <= sinceMs) continue
      for (const change of outbox.changes) {
        const { content, uniqueId } = change
        if (!counts(change) || change.state !== 'applied') continue
        removed.set(content, (removed.get(content) ?? new Set()).add(uniqueId))
      }
    }
    return removed
  }

  /**
   * Lists the removals of the last approved plan that were not applied. These removals need no second
   * approval.
   */
  function approvedInVain(): Removed {
    const last = runs
      .filter(({ approvedAtMs, isPurged }) => approvedAtMs !== null && !isPurged)
      .toSorted((one, other) => (one.approvedAtMs ?? 0) - (other.approvedAtMs ?? 0))
      .at(-1)
    const found = new Map<Content, Set<string>>()
    for (const { content, uniqueId, reason, action, state } of last?.outbox.changes ?? []) {
      if (action !== 'remove' || state === 'applied') continue
      found.set(content, (found.get(content) ?? new Set()).add(`${reason} ${uniqueId}`))
    }
    return found
  }

  /** @param isForced true if all contents are read back; otherwise only contents that were never read back */
  function toReadBack({ content }: Settings, isForced: boolean): readonly Content[] {
    return content.filter((each) => isForced || !readBack.has(each))
  }

  /** Finds the items that the platform had before the integration's first plan. */
  function foundFirst(content: Content, items: ReadonlyMap<string, Fields>): Set<string> {
    const isOld = (id: string) =>
      known.get(content)?.has(id) ? preexisting.get(content)?.has(id) : !readBack.has(content)
    return new Set([...items.keys()].filter(isOld))
  }

  function makeRun(
    { source }: Reading,
    settings: Settings,
    nowMs: number,
    live: ReadonlyMap<Content, ReadonlyMap<string, Fields>>,
    first: ReadonlyMap<Content, Set<string>>,
  ): Run {
    const leftOut = [...suppressed.values()].map((item) => ({ ...item, by: 'the integration' as const }))
    const seen = see({ ...source, suppressed: leftOut }, staged)
    const planned = planItems(seen, live, source.type, settings)
    const reference = lastApplied(live)
    const { guards, onlyRemovals } = judgePlan({
      type: source.type,
      options: settings,
      sourceOptions: source.options,
      planned,
      platform: live,
      filled: seen.filled,
      resources: seen.resources,
      applied: reference && {
        filled: reference.filled,
        resources: reference.seen.resources,
        decisions: reference.seen.decisions,
      },
      recent: recentRemovals(nowMs, ({ isInferred }) => isInferred),
      recentlyStated: recentRemovals(nowMs, isStated),
      approved: approvedInVain(),
      preexisting: first,
      lacksSpeakerType: seen.lacksSpeakerType,
    })
    const withholds = guards.length > 0 && onlyRemovals && settings.onHold === 'withholdRemovals'
    const goesOn = guards.length === 0 || withholds
    const changes = changesOf(planned)
    if (withholds) {
      for (const change of changes) if (change.action === 'remove') change.state = 'withheld'
    }
    return {
      contents: source.content,
      guards,
      seen,
      planned,
      outbox: { run: `run ${begun}`, changes, batches: 0, unanswered: null },
      base,
      filled: { ...staged.filled, ...seen.filled },
      status: goesOn ? 'applying' : 'held',
      approvedAtMs: null,
      appliedAtMs: null,
      ...newRun(),
    }
  }

  const newRun = () => ({
    figures: [],
    id: null,
    hash: null,
    under: ids.stored,
    rollbackTo: null,
    pin: null,
    isStale: false,
    isPurged: false,
    hasGap: lacksPacks(),
    after: new Map<Content, ReadonlyMap<string, Fields>>(),
  })

  /** Reads the source and stores the plan. */
  function makePlan(
    reading: Reading,
    settings: Settings,
    nowMs: number,
    isRefreshed: boolean,
    command: 'run' | 'plan',
  ): Run | ExpectedReport {
    if (!reading.isReadable) return refusal('failed', 'platform untouched; safe to run again')
    const lists = toReadBack(settings, isRefreshed).map(
      (content) => [content, platform.list(content)] as const,
    )
    if (lists.some(([, items]) => items === null))
      return refusal('failed', 'platform untouched; safe to run again')
    const first = lists.map(([content, items]) => [content, foundFirst(content, new Map(items))] as const)
    for (const [content, ids] of first) preexisting.set(content, ids)
    // After the database was restored from a backup, its list of items is valid only for contents that were
    // read back again.
    for (const [content, items] of lists) if (everReadBack.has(content)) noteByHand(content, new Map(items))
    if (isRefreshed) readBack.clear()
    for (const [content, items] of lists) {
      known.set(content, new Map(items))
      readBack.add(content)
      everReadBack.add(content)
      // What the platform had of this content before is not known, so it counts as having been the same.
      for (const { after } of applied) if (!after.has(content)) after.set(content, new Map(items))
    }
    if (lists.length > 0) {
      base += 1
      fence = Math.max(fence, platform.fence())
    }
    begun += 1
    const run = makeRun(reading, settings, nowMs, known, preexisting)
    packsKnown = [...packs]
    includeAll(run)
    run.pin = isPinned(nowMs) ? pin : null
    if (command === 'plan' || run.pin !== null) {
      run.status = run.guards.length === 0 ? 'planned' : 'held'
      // Only the command `run` of an integration that is not pinned can withhold the removals and send the
      // rest; a plan that waits contains all its changes.
      for (const change of run.outbox.changes) change.state = 'pending'
    }
    run.isPinnedRun = command === 'run' && run.pin !== null
    staged = { resources: run.seen.resources, memories: run.seen.memories, filled: run.filled }
    for (const resource of Object.keys(run.seen.filled)) zones.set(resource, settings.timeZone)
    runs.push(run)
    return run
  }

  /** Notes that a plan includes these items of the platform. */
  function includeAll({ planned }: Run): void {
    for (const { content, uniqueId, action } of planned)
      if (action !== 'remove' && action !== 'kept') preexisting.get(content)?.delete(uniqueId)
  }

  /**
   * Returns the error of a rollback to a run that cannot be gone back to; null if it can. Source:
   * pipeline/commands/README.md#bring-the-platform-back.
   */
  function refuseTarget(to: Run): string | null {
    const place = applied.indexOf(to)
    if (!runs.includes(to) || place === -1) return 'run'
    if (to.isPurged || applied.slice(place).some(({ isPurged }) => isPurged)) return 'purged'
    if (hasItems(known) && comparedUpTo(to)?.isPurged === true) return 'purged'
    // A run that found packs of unknown runs says that they landed before it, even if it did not land itself.
    if (runs.slice(runs.indexOf(to) + 1).some(({ hasGap }) => hasGap)) return 'does not have'
    return null
  }

  /** Notes the items that the platform has otherwise than the integration knows. */
  function noteByHand(content: Content, items: ReadonlyMap<string, Fields>): void {
    const before = known.get(content) ?? new Map<string, Fields>()
    for (const uniqueId of new Set([...items.keys(), ...before.keys()])) {
      if (!isDeepStrictEqual(items.get(uniqueId), before.get(uniqueId)))
        byHand.set(keyOf({ content, uniqueId }), { content, uniqueId })
    }
  }

  /**
   * Returns the items that the platform had after a run. It is not known when someone else changed an item, so
   * such an item comes from the changes of the runs. Source: pipeline/commands/README.md#bring-the-platform-back.
   */
  function itemsAfter(to: Run): ReadonlyMap<Content, ReadonlyMap<string, Fields>> {
    return new Map(
      CONTENTS.map((content) => {
        const items = new Map(to.after.get(content) ?? known.get(content))
        for (const item of byHand.values()) {
          if (item.content !== content) continue
          const fields = fromChanges(to, item)
          if (fields === null) items.delete(item.uniqueId)
          else items.set(item.uniqueId, fields)
        }
        return [content, items]
      }),
    )
  }

  /**
   * Returns what the last change up to a run made of an item; otherwise what the first later change found;
   * otherwise what is known now. Null if that is no item.
   */
  function fromChanges(to: Run, { content, uniqueId }: Item): Fields | null {
    const changes = runs
      .filter(({ isPurged }) => !isPurged)
      .toSorted((one, other) => one.base - other.base)
      .flatMap((run) =>
        run.outbox.changes.flatMap((change) =>
          change.content === content &&
          change.uniqueId === uniqueId &&
          (change.state === 'applied' || change.freed)
            ? { run, change }
            : [],
        ),
      )
    const last = changes.findLast(({ run }) => run.base < to.base || run === to)
    if (last !== undefined) return last.change.state === 'applied' ? last.change.fields : null
    const first = changes[0]
    if (first === undefined) return known.get(content)?.get(uniqueId) ?? null
    const planned = first.run.planned.find((one) => one.content === content && one.uniqueId === uniqueId)
    return planned === undefined || planned.action === 'create' ? null : planned.before
  }

  function makeRollback(to: Run, type: 'a' | 'b', settings: Settings, nowMs: number): Run | ExpectedReport {
    const synced = new Set(applied.flatMap(({ contents }) => contents))
    const contents = settings.content.filter((content) => synced.has(content) && readBack.has(content))
    if (contents.length === 0) return refusal('refused', 'none of its contents')
    begun += 1
    const way = planWayBack({
      type,
      contents,
      former: itemsAfter(to),
      live: known,
      keptOut,
      settings,
      recentlyStated: recentRemovals(nowMs, isStated),
      approved: approvedInVain(),
      preexisting,
    })
    // The zones are those of the records that are staged now, in which their times were read.
    const [stagedThen, zoneThen] = [staged.resources, zones.get('sessions') ?? settings.timeZone]
    const run: Run = {
      contents,
      guards: way.guards,
      seen: seenOf(way, staged, (uniqueId) => {
        const session = stagedThen.sessions?.get(uniqueId)
        return zoneOfSession(type, session, session === undefined ? settings.timeZone : zoneThen)
      }),
      planned: way.planned,
      outbox: { run: `run ${begun}`, changes: changesOf(way.planned), batches: 0, unanswered: null },
      base,
      filled: staged.filled,
      status: way.guards.length === 0 ? 'planned' : 'held',
      approvedAtMs: null,
      appliedAtMs: null,
      ...newRun(),
      rollbackTo: to,
    }
    packsKnown = [...packs]
    includeAll(run)
    runs.push(run)
    return run
  }

  function sendRest(run: Run, settings: Settings, nowMs: number): ExpectedReport {
    onItsWay = run
    if (run.status !== 'applied') {
      run.status = 'applying'
      // A run gets its fence number when it sends its first batch.
      const hasFence = run.outbox.batches > 0
      platform.offer(hasFence ? fence : fence + 1)
      const sent: Sent = send(run.outbox, platform, knowledge, settings)
      if (!hasFence && run.outbox.batches > 0) fence += 1
      // From here on, batches have the fence number 0: someone else never has a higher number than the
      // integration.
      platform.offer(0)
      if (sent !== 'landed')
        return reportOf(run, 'platform possibly touched; the next run finishes this plan first')
      run.status = 'applied'
      run.appliedAtMs = nowMs
      applied.push(run)
      for (const content of readBack) run.after.set(content, new Map(known.get(content)))
    }
    return account(run, settings)
  }

  /** Asks the platform for its number of items until the platform no longer answers, and writes the pack. */
  function account(run: Run, { content: synced }: Settings): ExpectedReport {
    const told = new Map<Content, number>()
    for (const content of synced) {
      const items = platform.list(content)
      if (items === null) break
      told.set(content, items.size)
    }
    onItsWay = null
    const { contents, seen, outbox } = run
    packs.push(outbox.run)
    packsKnown = [...packsKnown, outbox.run]
    const isRollback = run.rollbackTo !== null
    run.figures = reconcileModel({ contents, seen, changes: outbox.changes, known, told, isRollback })
    const isOpen = openFigures(run.figures).length > 0
    run.status = isOpen ? 'failed' : 'finished'
    return reportOf(run, isOpen ? 'the platform has other items than this database knows' : null)
  }

  /** Compares the platform's items with the database, content by content. */
  function askState({ content }: Settings): 'other' | 'silent' | null {
    for (const each of content.filter((one) => readBack.has(one))) {
      const items = platform.list(each)
      if (items === null) return 'silent'
      if (platform.fence() > fence || hasOtherItems(each, items)) return 'other'
    }
    return null
  }

  /**
   * Compares numbers of items. If a plan is unfinished, the numbers may differ, since its changes may have
   * been applied.
   */
  function hasOtherItems(
    content: Content,
    items: ReadonlyMap<string, unknown> | undefined = platform.items.get(content),
  ): boolean {
    return onItsWay?.status !== 'applying' && items?.size !== known.get(content)?.size
  }

  function lacksPacks(): boolean {
    return packs.some((pack) => !packsKnown.includes(pack))
  }

  /**
   * Looks for signs that the database was restored from a backup. Source: README.md, "a database that was set
   * back".
   */
  function lookBehind(settings: Settings, isRefreshed: boolean): 'refused' | 'silent' | null {
    const lacks = lacksPacks()
    const isFirst = runs.every(({ appliedAtMs }) => appliedAtMs === null)
    if (lacks && !isRefreshed && !isFirst) return 'refused'
    const asked = askState(settings)
    if (asked === 'other' && !isRefreshed) return 'refused'
    if ((lacks || asked === 'other') && onItsWay !== null) {
      onItsWay.status = 'failed'
      onItsWay = null
    }
    return asked === 'silent' ? asked : null
  }

  function finishFirst(settings: Settings, nowMs: number): readonly ExpectedReport[] {
    return onItsWay === null ? [] : [sendRest(onItsWay, settings, nowMs)]
  }

  return {
    platform,
    known,
    runs,
    onItsWay: () => onItsWay,
    base: () => base,
    hasSent: () => runs.some(({ status }) => status !== 'planned' && status !== 'held'),
    zoneOf: (resource) => zones.get(resource),
    preview(reading, settings, nowMs, isRefreshed) {
      const [live, first] = [new Map(known), new Map(preexisting)]
      for (const content of toReadBack(settings, isRefreshed)) {
        const items = new Map(platform.items.get(content))
        live.set(content, items)
        first.set(content, foundFirst(content, items))
      }
      return makeRun(reading, settings, nowMs, live, first)
    },
    run(reading, settings, nowMs, isRefreshed) {
      if (isUnknown()) return [UNKNOWN]
      const behind = lookBehind(settings, isRefreshed)
      if (behind === 'refused') return [REFUSED]
      if (mayNotSend(onItsWay, nowMs)) return [refusal('failed', 'event-sync resume')]
      const finished = finishFirst(settings, nowMs)
      if (finished.some(({ status }) => status !== 'finished')) return finished
      if (behind === 'silent')
        return [...finished, refusal('failed', 'platform untouched; safe to run again')]
      const run = makePlan(reading, settings, nowMs, isRefreshed, 'run')
      if (!('outbox' in run)) return [...finished, run]
      return [...finished, run.status === 'applying' ? sendRest(run, settings, nowMs) : reportOf(run)]
    },
    plan(reading, settings, nowMs) {
      if (isUnknown()) return [UNKNOWN]
      const behind = lookBehind(settings, false)
      if (behind === 'refused') return [REFUSED]
      // If an applied run only lacks its pack, no change has an unknown result, so the command need not be
      // refused.
      if (onItsWay?.status === 'applying') return [refusal('refused', 'finish it first')]
      if (behind === 'silent') return [refusal('failed', 'platform untouched; safe to run again')]
      const run = makePlan(reading, settings, nowMs, false, 'plan')
      return ['outbox' in run ? reportOf(run) : run]
    },
    apply(hash, settings, nowMs) {
      if (isUnknown()) return [UNKNOWN]
      const interrupted = onItsWay
      const stored = () => runs.filter(({ status }) => status === 'planned' || status === 'held')
      const open = [...stored(), ...(interrupted === null ? [] : [interrupted])].filter(
        (each) => each.hash === hash,
      )
      const isOpen = open.length > 0
      if (isOpen && [...open, interrupted].some((each) => mayNotSend(each, nowMs)))
        return [refusal('refused', 'event-sync resume')]
      if (lookBehind(settings, false) === 'refused') return [REFUSED]
      // If no open plan has this hash, `apply` does nothing. With an unknown hash, `apply` does not even
      // finish an earlier run.
      const finished = isOpen ? finishFirst(settings, nowMs) : []
      const isDone = finished.some(({ status }) => status !== 'finished')
      if (isDone || (interrupted !== null && interrupted.hash === hash)) return finished
      const run = stored().findLast((each) => each.hash === hash)
      const newest = runs.findLast((each) => each.hash !== null)
      // A rollback can also be applied after a newer plan, as long as the platform is the same.
      const isNewest = newest?.hash === hash || (run !== undefined && run.rollbackTo !== null)
      if (run === undefined || run.base !== base || run.isStale || !isNewest) {
        const isOther = newest !== undefined && newest.hash !== hash
        const said = isOther ? `the newest is ${newest.hash}` : 'there is no current plan'
        return [...finished, refusal('stale', said)]
      }
      run.approvedAtMs = nowMs
      if (run.rollbackTo !== null) pin = { untilMs: null }
      return [...finished, sendRest(run, settings, nowMs)]
    },
    rollBack(to, type, settings, nowMs) {
      if (isUnknown()) return [UNKNOWN]
      const behind = lookBehind(settings, false)
      if (behind === 'refused') return [REFUSED]
      if (onItsWay?.status === 'applying') return [refusal('refused', 'finish it first')]
      const refused = refuseTarget(to)
      if (refused !== null) return [refusal('refused', refused)]
      if (behind === 'silent') return [refusal('failed', 'platform untouched; safe to run again')]
      const run = makeRollback(to, type, settings, nowMs)
      return ['outbox' in run ? reportOf(run) : run]
    },
    pause(untilMs) {
      pin = { untilMs }
    },
    resume() {
      pin = null
    },
    isPinned,
    pausedUntilMs: () => pin?.untilMs ?? null,
    ids,
    rename(to) {
      if (onItsWay !== null) return [refusal('refused', 'nothing was renamed')]
      makePlansStale()
      // A plan that was made before a renaming that was taken back does not become current again.
      base += 1
      ids.stored = to
      return []
    },
    keptOut,
    applied,
    itemsAfter,
    refuseTarget,
    suppressed,
    suppress(item) {
      if (suppressed.has(keyOf(item))) return
      suppressed.set(keyOf(item), item)
      // A stored plan may create the item, so no stored plan can be applied any more.
      base += 1
    },
    unsuppress(item) {
      suppressed.delete(keyOf(item))
    },
    reference: () => lastApplied(known),
    purge(purged) {
      for (const run of purged) Object.assign(run, { isPurged: true, isStale: true })
    },
    backUp() {
      const copies = new Map(runs.map((run) => [run, copyOf(run)]))
      for (const copy of copies.values()) {
        if (copy.rollbackTo !== null) copy.rollbackTo = copies.get(copy.rollbackTo) ?? null
      }
      const copied = (list: readonly Run[]) => list.flatMap((run) => copies.get(run) ?? [])
      const [runsThen, appliedThen, [onItsWayThen = null]] = [runs, applied, onItsWay ? [onItsWay] : []].map(
        copied,
      ) as [Run[], Run[], Run[]]
      const knownThen = new Map([...known].map(([content, items]) => [content, new Map(items)]))
      const firstThen = new Map([...preexisting].map(([content, ids]) => [content, new Set(ids)]))
      const [readBackThen, everThen, zonesThen] = [new Set(readBack), new Set(everReadBack), new Map(zones)]
      const rest = { staged, base, packsKnown, fence, pin }
      return () => {
        onItsWay = onItsWayThen
        runs.splice(0, runs.length, ...runsThen)
        for (const run of runs) if (run.status !== 'finished' && run.status !== 'failed') unsure.add(run)
        applied.splice(0, applied.length, ...appliedThen)
        for (const [content, items] of knownThen) known.set(content, items)
        for (const [content, ids] of firstThen) preexisting.set(content, ids)
        readBack.clear()
        for (const content of readBackThen) readBack.add(content)
        everReadBack.clear()
        for (const content of everThen) everReadBack.add(content)
        zones.clear()
        for (const [resource, zone] of zonesThen) zones.set(resource, zone)
        ;({ staged, base, packsKnown, fence, pin } = rest)
      }
    },
    unsure,
    isBehind: () =>
      lacksPacks() || platform.fence() > fence || [...readBack].some((content) => hasOtherItems(content)),
  }
}

const hasItems = (lists: ReadonlyMap<Content, ReadonlyMap<string, Fields>>) =>
  [...lists.values()].some(({ size }) => size > 0)

const REFUSED = refusal('refused', '--refresh')
/** The configuration and the database have different ids of the integration. */
const UNKNOWN = refusal('refused', 'rename')

const keyOf = ({ content, uniqueId }: Item) => `${content} ${uniqueId}`

/** Copies the parts of a run that change while its plan is sent. */
function copyOf(run: Run): Run {
  const copies = new Map(run.outbox.changes.map((change) => [change, { ...change }]))
  const copied = (changes: readonly Change[]) => changes.flatMap((change) => copies.get(change) ?? [])
  const { changes, unanswered } = run.outbox
  return {
    ...run,
    outbox: {
      ...run.outbox,
      changes: copied(changes),
      unanswered: unanswered && { ...unanswered, changes: copied(unanswered.changes) },
    },
  }
}

const SENDING_ORDER: readonly Content[] = ['attendees', 'speakers', 'agenda']

/** Returns the changes of a plan in sending order. Source: transforms/RULES.md#r48. */
function changesOf(planned: readonly PlannedItem[]): readonly Change[] {
  const of = (actions: readonly string[]) =>
    SENDING_ORDER.flatMap((content) =>
      planned.filter((item) => item.content === content && actions.includes(item.action)),
    )
  const upserts = of(['create', 'update', 'handover'])
  const isTakenOver = (item: PlannedItem) => upserts.some((taker) => takesOver(taker, item))
  const removals = of(['remove'])
  const freeing = removals.filter(isTakenOver)
  const groups = groupsOf(upserts)
  const ordered = upserts.flatMap((item): readonly (readonly [PlannedItem, number | null])[] => {
    const group = groups.findIndex((members) => members.includes(item))
    if (group === -1) return [[item, null]]
    // All changes of a group are sent at the position of the group's first change.
    const isFirst = upserts.find((one) => groups[group]?.includes(one)) === item
    return isFirst ? (groups[group] ?? []).map((member) => [member, group]) : []
  })
  return [
    ...freeing.map((item) => ({ item, phase: 'freeing' as const, group: null })),
    ...ordered.map(([item, group]) => ({ item, phase: 'upserts' as const, group })),
    ...removals
      .filter((item) => !freeing.includes(item))
      .map((item) => ({ item, phase: 'removals' as const, group: null })),
  ].map(({ item, phase, group }, index) => ({
    seq: index + 1,
    content: item.content,
    uniqueId: item.uniqueId,
    fields: item.action === 'remove' ? null : item.after,
    action:
      item.action === 'create' || item.action === 'update' || item.action === 'handover'
        ? item.action
        : 'remove',
    isInferred: item.isInferred,
    phase,
    group,
    reason: item.reason,
    state: 'pending',
    result: null,
    code: null,
    isAlone: false,
    freed: false,
  }))
}

const addressOf = ({ emailAddress }: Fields) =>
  typeof emailAddress === 'string' ? emailAddress.toLowerCase() : null

/** Returns true if the attendee `taker` gets the address that the attendee `giver` loses. */
function takesOver(taker: PlannedItem, giver: PlannedItem): boolean {
  if (taker === giver || taker.content !== 'attendees' || giver.content !== 'attendees') return false
  // In a handover (an id goes to another person) the previous person is removed before all upserts, so nobody
  // waits for that person's address.
  if (giver.action === 'handover') return false
  const [given, wanted] = [addressOf(giver.before), addressOf(taker.after)]
  const keeps = giver.action === 'remove' ? null : addressOf(giver.after)
  return wanted !== null && wanted === given && keeps !== given && addressOf(taker.before) !== wanted
}

/**
 * Groups the upserts that wait for each other's address. Each upsert is sorted after the upserts for which it
 * waits.
 */
function groupsOf(upserts: readonly PlannedItem[]): readonly (readonly PlannedItem[])[] {
  const waits = (item: PlannedItem) => upserts.filter((other) => takesOver(item, other))
  const group = new Map<PlannedItem, Set<PlannedItem>>()
  for (const item of upserts) {
    for (const other of waits(item)) {
      const joined = new Set([item, other, ...(group.get(item) ?? []), ...(group.get(other) ?? [])])
      for (const member of joined) group.set(member, joined)
    }
  }
  return [...new Set(group.values())].map((members) => {
    const ordered = new Set<PlannedItem>()
    const visiting = new Set<PlannedItem>()
    function visit(item: PlannedItem): void {
      if (visiting.has(item)) return
      visiting.add(item)
      for (const other of waits(item)) visit(other)
      ordered.add(item)
    }
    for (const item of upserts) if (members.has(item)) visit(item)
    return [...ordered]
  })
}
