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

/**
 * The hashes of all plans so far. Two plans must have the same hash exactly if their changes and their base
 * (the state of the platform) are equal.
 */
export interface PlanHashes {
  /** The hash of each plan; `plans` has the plan of each hash. */
  readonly ofPlans: Map<string, string>
  readonly plans: Map<string, string>
}

/**
 * Compares the reports and the exit code of a command with the model. The hashes of the command's plans are
 * recorded too.
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
 * Returns the part of a plan from which its hash is computed: the changes without run, time and signatures in
 * URLs.
 */
function planOf({ base, planned, under, rollbackTo }: Run): string {
  const changes = planned
    .filter(({ action }) => ['create', 'update', 'handover', 'remove'].includes(action))
    .map(({ action, content, uniqueId, reason, after }) => {
      const fields = Object.entries(allAsCompared(content, after)).sort(([one], [other]) =>
        one < other ? -1 : 1,
      )
      return JSON.stringify([content, uniqueId, action, reason, action === 'remove' ? null : fields])
    })
  return JSON.stringify([under, base, rollbackTo?.id, changes.sort()])
}

function compareReport(
  { run, error, guards, pinned, ...wanted }: ExpectedReport,
  report: RunReport,
): readonly Difference[] {
  const actual = { kept: 0, failed: 0, withheld: 0, approved: false, ...report }
  const isUnusual = error === null ? report.error === undefined : report.error?.includes(error) === true
  return [
    ...Object.entries(wanted).flatMap(([path, value]) =>
      compareValues(path, value, Reflect.get(actual, path)),
    ),
    ...compareValues('held', guards, guardsOf(report)),
    ...compareValues('pinned', pinned !== null, report.pinned !== null),
    ...compareValues('pinned until', endOf(pinned), report.pinned?.until ?? null),
    ...compareValues('rollbackTo', run?.rollbackTo?.id, report.rollbackTo),
    ...(isUnusual ? [] : [{ path: 'error', expected: error, actual: report.error }]),
  ]
}

/** Returns when a pin ends, as in a report: null until `resume`, or if there is no pin. */
function endOf(pin: ExpectedReport['pinned']): string | null {
  return pin?.untilMs == null ? null : new Date(pin.untilMs).toISOString()
}

/**
 * Compares the items on the platform with the model, and the items that the integration believes are there.
 */
export function compareState(
  model: HistoryModel,
  { platform, known, changes }: Found,
): readonly Difference[] {
  const there = Object.entries(platform.items).flatMap(([content, list]) =>
    list.map(({ uniqueId, fields }) => ({ content, uniqueId, fields })),
  )
  const remembered = model.runs.flatMap(({ outbox, isPurged }) => (isPurged ? [] : outbox.changes))
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

/**
 * Returns faults that are never allowed, independently of the model: in the items on the platform, or in the
 * ledger of runs.
 */
export function faultsOf(model: HistoryModel, { platform, changes }: Found): readonly Difference[] {
  // The unfinished plan is not always the newest plan, since an older plan may have been approved.
  const open = model.onItsWay()?.id ?? null
  const unknown = new Set([open, ...[...model.unsure].map(({ id }) => id)])
  const settled = changes.filter(({ run }) => !unknown.has(run))
  const ours = new Set(settled.map(({ run }) => run))
  // Effects by someone else or of an unfinished plan are compared with nothing, since the ledger of runs does
  // not contain them yet.
  const others = platform.ledger.filter(({ run }) => !ours.has(run))
  const recorded = [
    ...settled,
    ...others.map(({ run, seq, op, uniqueId, effect }) => {
      return { run, seq, action: op, freed: false, uniqueId, state: 'applied', result: effect, code: null }
    }),
  ]
  // The check ignores references to missing items. References to missing items are allowed while a plan is
  // unfinished, or after someone else changed the platform.
  const look = { ...platform, dangling: [] }
  return judgePlatform(look, flat(model.platform.items), recorded).map((fault) => ({
    path: 'judged',
    expected: 'no fault',
    actual: fault,
  }))
}
