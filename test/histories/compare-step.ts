import { isDeepStrictEqual } from 'node:util'
import type { RunReport } from '../../pipeline/report.ts'
import { type Difference, guardsOf } from '../model/compare.ts'
import type { Fields } from '../model/model-items.ts'
import type { Content } from '../model/options.ts'
import { judgePlatform } from '../support/platform-judge.ts'
import type { Ended } from './commands.ts'
import type { Found } from './look.ts'
import type { HistoryModel } from './model-history.ts'
import { type ExpectedReport, exitCodeOf, type Run } from './model-report.ts'

/** Compares how a command ended with what the model says. */
export function compareReports(
  expected: readonly ExpectedReport[],
  { reports, code }: Ended,
): readonly Difference[] {
  const found: Difference[] = []
  if (expected.length !== reports.length) {
    const told = (list: readonly { readonly status: string }[]) => list.map(({ status }) => status)
    found.push({ path: 'reports', expected: told(expected), actual: told(reports) })
  }
  for (const [index, wanted] of expected.entries()) {
    const actual = reports[index]
    if (actual === undefined) continue
    found.push(
      ...compareReport(wanted, actual).map((one) => ({ ...one, path: `report ${index + 1} ${one.path}` })),
    )
  }
  if (exitCodeOf(expected) !== code)
    found.push({ path: 'exit code', expected: exitCodeOf(expected), actual: code })
  return found
}

function compareReport(
  { run, error, guards, ...wanted }: ExpectedReport,
  report: RunReport,
): readonly Difference[] {
  const { kept = 0, failed = 0, withheld = 0, approved = false } = report
  const actual = { ...report, kept, failed, withheld, approved, excluded: { ...report.excluded } }
  const found = Object.entries(wanted).flatMap(([path, value]): readonly Difference[] => {
    const got = Reflect.get(actual, path)
    return isDeepStrictEqual(value, got) ? [] : [{ path, expected: value, actual: got }]
  })
  const held = guardsOf(report)
  if (!isDeepStrictEqual(guards, held)) found.push({ path: 'held', expected: guards, actual: report.held })
  const isTold = error === null ? report.error === undefined : report.error?.includes(error) === true
  if (!isTold) found.push({ path: 'error', expected: error, actual: report.error })
  return found
}

/** Compares the platform, and what the integration remembers of it, with the model. */
export function compareState(
  model: HistoryModel,
  { platform, known, changes }: Found,
): readonly Difference[] {
  const there = Object.entries(platform.items).flatMap(([content, list]) =>
    list.map(({ uniqueId, fields }) => ({ content, uniqueId, fields })),
  )
  const ledger = platform.ledger.map(({ seq, content, uniqueId, effect }) => ({
    seq,
    content,
    uniqueId,
    effect,
  }))
  const remembered = model.runs.flatMap(({ outbox }) =>
    outbox.changes.map(({ seq, content, uniqueId, action, state, result, code }) => {
      return { seq, content, uniqueId, action, state, result, code }
    }),
  )
  return [
    ...unlike('platform', keyedItems(flat(model.platform.items)), keyedItems(there)),
    ...unlike('known', keyedItems(flat(model.known)), keyedItems(known)),
    ...unlikeInOrder('platform ledger', model.platform.ledger, ledger),
    ...unlikeInOrder(
      'changes',
      remembered,
      changes.map(({ run: _, ...change }) => change),
    ),
  ]
}

function flat(items: ReadonlyMap<Content, ReadonlyMap<string, Fields>>) {
  return [...items].flatMap(([content, list]) =>
    [...list].map(([uniqueId, fields]) => ({ content, uniqueId, fields })),
  )
}

function keyedItems(
  items: readonly { readonly content: string; readonly uniqueId: string; readonly fields: unknown }[],
): ReadonlyMap<string, unknown> {
  return new Map(items.map(({ content, uniqueId, fields }) => [`${content} ${uniqueId}`, fields]))
}

function unlike(
  what: string,
  expected: ReadonlyMap<string, unknown>,
  actual: ReadonlyMap<string, unknown>,
): readonly Difference[] {
  const names = [...new Set([...expected.keys(), ...actual.keys()])]
  return names.flatMap((name) => {
    const [wanted, got] = [expected.get(name), actual.get(name)]
    return isDeepStrictEqual(plain(wanted), plain(got))
      ? []
      : [{ path: `${what} ${name}`, expected: wanted, actual: got }]
  })
}

/** Without prototypes, which parsed answers may have or not. */
function plain(fields: unknown): unknown {
  return typeof fields === 'object' && fields !== null ? { ...fields } : fields
}

function unlikeInOrder(
  what: string,
  expected: readonly object[],
  actual: readonly object[],
): readonly Difference[] {
  const count = Math.max(expected.length, actual.length)
  const first = Array.from({ length: count }, (_, index) => index).find(
    (index) => !isDeepStrictEqual({ ...expected[index] }, { ...actual[index] }),
  )
  if (first === undefined) return []
  return [
    { path: `${what}, entry ${first + 1} of ${count}`, expected: expected[first], actual: actual[first] },
  ]
}

/** What no platform and no memory of it may be, whatever the model says. */
export function faultsOf(
  model: HistoryModel,
  last: Run | null,
  { platform, changes }: Found,
): readonly Difference[] {
  // Not always the newest: an older plan may have been approved.
  const open = model.onItsWay()?.id ?? null
  const ours = new Set(changes.map(({ run }) => run))
  const ledger = platform.ledger.filter(({ run }) => run !== open)
  // What another hand did stands in no memory of ours.
  const others = ledger.filter(({ run }) => !ours.has(run))
  const recorded = [
    ...changes.filter(({ run }) => run !== open),
    ...others.map(({ run, seq, uniqueId, effect }) => {
      return { run, seq, uniqueId, state: 'applied', result: effect, code: null }
    }),
  ]
  const wanted = flat(model.platform.items)
  const dangling = last === null ? [] : platform.dangling.filter((one) => isForbidden(one, last, model))
  return judgePlatform({ ...platform, ledger, dangling }, wanted, recorded).map((fault) => ({
    path: 'judged',
    expected: 'no fault',
    actual: fault,
  }))
}

const TARGETS: Readonly<Record<string, Content>> = {
  speakerIds: 'speakers',
  sessionIds: 'agenda',
  attendeeId: 'attendees',
  personalAgenda: 'agenda',
}

/**
 * Once all of a plan has landed, what it wants there names nothing of its contents that is not there, unless another
 * hand took it away.
 */
function isForbidden(
  { content, uniqueId, field, missing }: Found['platform']['dangling'][number],
  { status, contents, outbox, planned }: Run,
  { known, platform }: HistoryModel,
): boolean {
  if (!['finished', 'failed'].includes(status) || outbox.changes.some(({ state }) => state !== 'applied'))
    return false
  const target = TARGETS[field]
  if (target === undefined || !contents.includes(target) || known.get(target)?.has(missing)) return false
  const item = planned.find((one) => one.content === content && one.uniqueId === uniqueId)
  const isWanted = item !== undefined && ['create', 'update', 'unchanged'].includes(item.action)
  return isWanted && isDeepStrictEqual(platform.items.get(content)?.get(uniqueId), item.after)
}
