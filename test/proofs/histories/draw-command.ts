import type { Random } from '../../harness/random.ts'
import type { Command } from './commands.ts'
import type { HistoryModel, Item } from './model-history.ts'
import type { Run } from './model-report.ts'

const HOUR_MS = 60 * 60 * 1000

/** What a history may draw. */
export interface Chances {
  readonly nowMs: number
  /** True if someone else has changed the platform since the last command. */
  readonly isDisturbed: boolean
  /**
   * False if the database is set back in this history. The model does not cover a database that is set back to
   * before an item was left out, the integration was renamed, or history was purged.
   */
  readonly isOperated: boolean
}

/** Draws the next command of a history. */
export function drawCommand(model: HistoryModel, chances: Chances, random: Random): Command {
  const { configured, stored } = model.ids
  if (configured !== stored && random.chance(0.5)) return endRenaming(model, random)
  const operated = configured === stored ? drawDeed(model, chances, random) : null
  return (
    operated ?? drawRollback(model, random) ?? drawApply(model, random) ?? drawRun(model, chances, random)
  )
}

/** Gives configuration and database the same id again. */
function endRenaming({ ids: { configured, stored }, onItsWay, runs }: HistoryModel, random: Random): Command {
  // A run that is not finished can only be finished under its own id.
  const canRename = onItsWay() === null && runs.length > 0
  return canRename && random.chance(0.7)
    ? { is: 'rename', from: stored, to: configured }
    : { is: 'edit', to: stored }
}

function drawDeed(model: HistoryModel, chances: Chances, random: Random): Command | null {
  const { nowMs, isOperated } = chances
  const isPinned = model.isPinned(nowMs)
  if (random.chance(isPinned ? 0.2 : 0.01)) return { is: 'resume' }
  if (random.chance(0.07)) {
    const hours = random.pick([null, 5, 12, 30])
    return { is: 'pause', untilMs: hours === null ? null : nowMs + hours * HOUR_MS }
  }
  if (!isOperated || model.runs.length === 0) return null
  // These are rare, and another id is most likely to do harm while something is unfinished.
  const isDelicate = isPinned || model.onItsWay() !== null || currentOf(model).length > 0
  if (random.chance(isDelicate ? 0.15 : 0.03)) return beginRenaming(model, random)
  if (random.chance(0.07)) {
    const left = [...model.suppressed.values()]
    if (left.length > 0 && random.chance(0.4)) return { is: 'unsuppress', item: random.pick(left) }
    const items = itemsOf(model)
    if (items.length > 0) return { is: 'suppress', item: random.pick(items) }
  }
  if (random.chance(0.06)) return { is: 'purge', keepRuns: random.pick([1, 1, 2, 4]) }
  return null
}

function beginRenaming({ ids: { stored } }: HistoryModel, random: Random): Command {
  const to = stored.endsWith('-renamed') ? stored.replace('-renamed', '') : `${stored}-renamed`
  return random.chance(0.5) ? { is: 'rename', from: stored, to } : { is: 'edit', to }
}

/** Returns the items that a run has wanted, or that the platform has had. */
function itemsOf({ runs, known }: HistoryModel): readonly Item[] {
  const lists = [known, ...runs.slice(-4).map(({ seen }) => seen.desired)]
  return lists.flatMap((list) =>
    [...list].flatMap(([content, items]) => [...items.keys()].map((uniqueId) => ({ content, uniqueId }))),
  )
}

function drawRollback({ runs, applied }: HistoryModel, random: Random): Command | null {
  const made = runs.filter(({ id }) => id !== null)
  const isAfterRollback = applied.at(-1)?.rollbackTo != null
  if (made.length === 0 || !random.chance(isAfterRollback ? 0.25 : 0.17)) return null
  const landed = made.filter(({ appliedAtMs }) => appliedAtMs !== null)
  const purged = landed.filter(({ isPurged }) => isPurged)
  const likely = purged.length > 0 && random.chance(0.25) ? purged : landed
  const to = likely.length > 0 && random.chance(0.92) ? random.pick(likely) : random.pick(made)
  return { is: 'rollback', to }
}

function drawApply(model: HistoryModel, random: Random): Command | null {
  const stored = model.runs.filter(({ status }) => status === 'planned' || status === 'held')
  const current = currentOf(model)
  const isRenamed = model.runs.at(-1)?.isStale === true
  const rollback = current.findLast(({ rollbackTo }) => rollbackTo !== null)
  const chosen =
    rollback !== undefined && random.chance(0.5)
      ? rollback
      : current.length > 0 && random.chance(0.35)
        ? pickOf(current, random)
        : stored.length > 0 && random.chance(isRenamed ? 0.4 : 0.08)
          ? isRenamed
            ? stored.at(-1)
            : random.pick(stored)
          : undefined
  if (chosen !== undefined) return { is: 'apply', hash: chosen.hash ?? '' }
  return random.chance(0.02) ? { is: 'apply', hash: 'f'.repeat(64) } : null
}

/** Returns the plans that wait, and that the platform still fits. */
function currentOf({ runs, base }: HistoryModel): readonly Run[] {
  return runs.filter(
    (run) => (run.status === 'planned' || run.status === 'held') && run.base === base() && !run.isStale,
  )
}

const pickOf = (current: readonly Run[], random: Random) =>
  random.chance(0.6) ? current.at(-1) : random.pick(current)

function drawRun(model: HistoryModel, { isDisturbed }: Chances, random: Random): Command {
  if (random.chance(model.onItsWay() === null ? 0.12 : 0.3)) return { is: 'plan' }
  const isOdd = isDisturbed || model.isBehind()
  return { is: 'run', refresh: random.chance(isOdd ? 0.7 : 0.06) }
}
