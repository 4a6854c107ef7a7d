import type { RunReport } from '../../../pipeline/runtime/report.ts'
import { compareInOrder, compareNamed, compareValues, type Difference } from '../../harness/compare.ts'
import { judgePlatform } from '../../harness/platform-judge.ts'
import { guardsOf } from '../model/compare.ts'
import type { Fields } from '../model/model-items.ts'
import { allAsCompared } from '../model/model-signed.ts'
import type { Content } from '../model/options.ts'
import type { Ended } from './commands.ts'
import type { Found } from './look.ts'
import type { HistoryModel } from './model-history.ts'
import { type ExpectedReport, exitCodeOf, type Run } from './model-report.ts'

/** Equal plans on an equal base have the same hash; all other plans have different hashes. */
export interface PlanHashes {
  /** The hash of each plan so far; `plans` is the reverse. */
  readonly ofPlans: Map<string, string>
  readonly plans: Map<string, string>
}

/**
 * Compares the reports and the exit code of a command with the model, and records the hashes of its plans.
 */
export function compareReports(
  expected: readonly ExpectedReport[],
  { reports, code }: Ended,
  hashes: PlanHashes,
): readonly Difference[] {
  const statuses = (list: readonly { readonly status: string }[]) => list.map(({ status }) => status)
  return [
    ...compareValues('reports', statuses(expected), statuses(reports)),
    ...expected.flatMap((wanted, index) => {
      const report = reports[index]
      if (report === undefined) return []
      const found = [...compareReport(wanted, report), ...noteHash(wanted.run, report, hashes)]
      return found.map((one) => ({ ...one, path: `report ${index + 1} ${one.path}` }))
    }),
    ...compareValues('exit code', exitCodeOf(expected), code),
  ]
}

function noteHash(run: Run | null, report: RunReport, { ofPlans, plans }: PlanHashes): readonly Difference[] {
  if (run === null) return []
  const plan = planOf(run)
  const { run: id, planHash: hash } = report
  if (hash === null) return [{ path: 'plan hash', expected: 'one', actual: null }]
  const found = [
    ...compareValues('plan hash', ofPlans.get(plan) ?? hash, hash),
    ...compareValues('plan of this hash', plans.get(hash) ?? plan, plan),
  ]
  ofPlans.set(plan, hash)
  plans.set(hash, plan)
  run.id = id
  run.hash = hash
  return found
}

/**
 * Returns the part of a plan that its hash covers: the changes, without run, time and signatures of
 * addresses.
 */
function planOf({ base, planned }: Run): string {
  const changes = planned
    .filter(({ action }) => ['create', 'update', 'handover', 'remove'].includes(action))
    .map(({ action, content, uniqueId, reason, after }) => {
      const fields = Object.entries(allAsCompared(content, after)).sort(([one], [other]) =>
        one < other ? -1 : 1,
      )
      return JSON.stringify([content, uniqueId, action, reason, action === 'remove' ? null : fields])
    })
  return JSON.stringify([base, changes.sort()])
}

function compareReport(
  { run, error, guards, ...wanted }: ExpectedReport,
  report: RunReport,
): readonly Difference[] {
  const actual = { kept: 0, failed: 0, withheld: 0, approved: false, ...report }
  const isUnusual = error === null ? report.error === undefined : report.error?.includes(error) === true
  return [
    ...Object.entries(wanted).flatMap(([path, value]) =>
      compareValues(path, value, Reflect.get(actual, path)),
    ),
    ...compareValues('held', guards, guardsOf(report)),
    ...(isUnusual ? [] : [{ path: 'error', expected: error, actual: report.error }]),
  ]
}

/** Compares the platform, and what the integration knows of it, with the model. */
export function compareState(
  model: HistoryModel,
  { platform, known, changes }: Found,
): readonly Difference[] {
  const there = Object.entries(platform.items).flatMap(([content, list]) =>
    list.map(({ uniqueId, fields }) => ({ content, uniqueId, fields })),
  )
  const remembered = model.runs.flatMap(({ outbox }) => outbox.changes)
  return [
    ...compareNamed('platform', namedItems(flat(model.platform.items)), namedItems(there)),
    ...compareNamed('known', namedItems(flat(model.known)), namedItems(known)),
    ...compareInOrder(
      'platform ledger',
      model.platform.ledger,
      platform.ledger.map((entry) => only(entry, ['seq', 'content', 'uniqueId', 'effect'])),
    ),
    ...compareInOrder(
      'changes',
      remembered.map((change) => only(change, CHANGE)),
      changes.map((change) => only(change, CHANGE)),
    ),
  ]
}

const CHANGE = ['seq', 'content', 'uniqueId', 'action', 'state', 'result', 'code'] as const

function only<Value, Key extends keyof Value>(value: Value, keys: readonly Key[]): Pick<Value, Key> {
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as Pick<Value, Key>
}

function flat(items: ReadonlyMap<Content, ReadonlyMap<string, Fields>>) {
  return [...items].flatMap(([content, list]) =>
    [...list].map(([uniqueId, fields]) => ({ content, uniqueId, fields })),
  )
}

function namedItems(
  items: readonly { readonly content: string; readonly uniqueId: string; readonly fields: unknown }[],
): ReadonlyMap<string, unknown> {
  return new Map(items.map(({ content, uniqueId, fields }) => [`${content} ${uniqueId}`, fields]))
}

/** Returns faults that no platform and no ledger of runs may have, whatever the model expects. */
export function faultsOf(model: HistoryModel, { platform, changes }: Found): readonly Difference[] {
  // The plan under way is not always the newest: an older plan may have been approved.
  const open = model.onItsWay()?.id ?? null
  const unknown = new Set([open, ...[...model.unsure].map(({ id }) => id)])
  const settled = changes.filter(({ run }) => !unknown.has(run))
  const ours = new Set(settled.map(({ run }) => run))
  // The ledger of runs does not yet contain changes by someone else or of a plan under way.
  const others = platform.ledger.filter(({ run }) => !ours.has(run))
  const recorded = [
    ...settled,
    ...others.map(({ run, seq, op, uniqueId, effect }) => {
      return { run, seq, action: op, freed: false, uniqueId, state: 'applied', result: effect, code: null }
    }),
  ]
  // References may lead nowhere while a plan is under way, or after someone else changed the platform.
  const look = { ...platform, dangling: [] }
  return judgePlatform(look, flat(model.platform.items), recorded).map((fault) => ({
    path: 'judged',
    expected: 'no fault',
    actual: fault,
  }))
}
