import { InvalidArgumentError, Option } from 'commander'
import type { Kysely } from 'kysely'
import {
  countPlanned,
  findOutcomes,
  firstPlanned,
  type PlannedChange,
  type PlannedCount,
  plannedFields,
} from '../../loaders/packs/plan-changes.ts'
import {
  type Action,
  CONTENTS,
  type Content,
  type FieldValue,
  type RunKey,
  type Tables,
} from '../../sql/tables.ts'
import { isList, mapTexts, nameOf, textOf } from '../../transforms/declare/field-values.ts'
import { addressesIn, isPersonalId } from '../../transforms/rules/personal-ids.ts'
import { HIDDEN, HIDDEN_HINT, isPersonal } from '../runtime/personal.ts'
import { plannedRun, type RunReport } from '../runtime/report.ts'
import { digits, quoted, quotedPair, toVisibleJson, visible, word } from '../runtime/visible.ts'
import type { NotLanded, ShownChange, ShownOutcome } from '../schemas/runs.ts'
import { wholeNumber } from './arguments.ts'
import { type Paint, paintFor } from './colours.ts'
import { type CommandIo, toTable } from './io.ts'
import { describeReport, printReports, toJson } from './print-report.ts'
import type { GlobalOptions } from './session.ts'

/**
 * Prints plans with their reports, as one JSON object on standard output or as text for people.
 *
 * @returns `print` prints the next report and the plan of its run. The caller must call `end` after the last
 *   report.
 */
export function planPrinter(io: CommandIo, view: PlanView, global: Pick<GlobalOptions, 'json' | 'color'>) {
  const { json } = global
  let isFirst = true
  return {
    async print(db: Kysely<Tables>, report: RunReport, run: RunKey | null): Promise<void> {
      if (json) {
        io.stderr.write(describeReport(report, true, paintFor(io.stderr, global)))
        io.stdout.write(isFirst ? BEGIN : ',')
        isFirst = false
        await printWithPlan(io, db, run, toJson(report), view)
      } else {
        await printPlan(io, db, report, view, run)
        printReports(io, [report], global)
      }
    },
    end(): void {
      if (json) io.stdout.write(`${isFirst ? BEGIN : ''}]}\n`)
    },
  }
}

const BEGIN = '{"runs":['

/**
 * Prints the plan of a run for people: the changes of each content (agenda, speakers, attendees), then a
 * summary. Prints nothing if the run made no plan or its plan is empty.
 */
export async function printPlan(
  io: CommandIo,
  db: Kysely<Tables>,
  report: RunReport,
  view: PlanView,
  run = plannedRun(report),
): Promise<void> {
  const counts = run === null ? [] : await countPlanned(db, run)
  if (run === null || counts.length === 0) return
  let hint = ''
  const print = (text: string) => io.stdout.write(text)
  const { previewOf } = report
  const of = previewOf === undefined ? `plan of run ${run.runId}` : `preview of \`${previewOf}\``
  const more = previewOf === undefined ? `event-sync show ${run.runId}` : previewOf.replace(' run ', ' plan ')
  print(`${run.integrationId}: ${of}\n\n`)
  for (const content of view.sample === 0 ? [] : view.contents) {
    const planned = counts.filter((row) => row.content === content)
    if (planned.length === 0) continue
    print(`${content}\n`)
    const shown: Action[] = []
    for await (const page of firstPlanned(db, run, content, view.sample)) {
      const text = page.map((change) => describeChange(change, view.showPersonal, view.paint)).join('')
      print(text)
      hint += view.hint(text)
      shown.push(...page.map(({ action }) => action))
      // The program that reads the output, for example `head`, has closed the pipe.
      if (!io.stdout.writable) return
    }
    print(`${describeRest(`${more} --content ${content}`, planned, shown)}\n`)
  }
  print(`${hint}${describeSummary(counts)}\n`)
}

/**
 * Prints an object as JSON with the additional key `plan`, which is null if no plan was made.
 *
 * The changes are printed page by page, so that a large plan does not fill the memory.
 */
export async function printWithPlan(
  io: CommandIo,
  db: Kysely<Tables>,
  run: RunKey | null,
  object: object,
  view: PlanView,
): Promise<void> {
  io.stdout.write(`${toVisibleJson(object).slice(0, -1)},"plan":`)
  if (run === null) return void io.stdout.write('null}')
  io.stdout.write('{"changes":[')
  let shown = 0
  for (const content of view.contents) {
    for await (const page of firstPlanned(db, run, content, view.sample)) {
      const text = page.map((change) => toVisibleJson(toShownChange(change, view.showPersonal))).join()
      io.stdout.write(shown > 0 ? `,${text}` : text)
      io.stderr.write(view.hint(text))
      shown += page.length
      if (!io.stdout.writable) return
    }
  }
  io.stdout.write(`],"shown":${shown},"total":${sumOf(await countPlanned(db, run))}}}`)
}

/**
 * Options that choose which changes of a plan are shown. Options about the display never change the plan
 * itself.
 */
export interface PlanOutputOptions {
  readonly sample: number
  /** Contents whose changes are shown; undefined: all contents. */
  readonly content?: readonly Content[]
}

/** Which part of a plan a command shows, and how. */
export type PlanView = ReturnType<typeof planView>

export const PLAN_OPTIONS: readonly Option[] = [
  new Option('--sample <n>', 'changes shown of each content; 0: only the summary')
    .argParser(wholeNumber(0))
    .default(10),
  new Option(
    '--content <content>',
    `contents whose changes are shown, of ${CONTENTS.join()}; left out: all`,
  ).argParser(toContents),
]

function toContents(text: string, previous: readonly Content[] = []): readonly Content[] {
  const contents = text.split(',').map((name) => {
    const content = CONTENTS.find((one) => one === name.trim())
    if (content === undefined) throw new InvalidArgumentError(`"${name}" is none of ${CONTENTS.join(', ')}.`)
    return content
  })
  return [...previous, ...contents]
}

export function planView(
  { sample, content }: PlanOutputOptions,
  global: Pick<GlobalOptions, 'showPersonal' | 'color'>,
  io: Pick<CommandIo, 'stdout'>,
) {
  const { showPersonal } = global
  let isHintDue = !showPersonal
  return {
    sample,
    contents: CONTENTS.filter((one) => content === undefined || content.includes(one)),
    showPersonal,
    paint: paintFor(io.stdout, global),
    /**
     * Returns a hint that says how to see hidden values, if the text hides any. The hint is returned only
     * once; later calls return an empty text.
     */
    hint(text: string): string {
      if (!isHintDue || !text.includes(HIDDEN)) return ''
      isHintDue = false
      return HIDDEN_HINT
    },
  }
}

const COLOURS = { create: 'green', update: 'yellow', handover: 'yellow', remove: 'red' } as const
const SIGNS = { create: '+', update: '~', handover: '±', remove: '-' } as const
/** Words that are printed after the number of changes of each action. */
export type ActionWords = Readonly<Record<Action, string>>

const WORDS: ActionWords = {
  create: 'to create',
  update: 'to update',
  handover: 'to hand over',
  remove: 'to remove',
}
const ACTIONS = Object.keys(WORDS) as readonly Action[]

/**
 * Describes a change for people: a line with the action and the item, and the item's fields below. The fields
 * of a removed item are not shown.
 */
export function describeChange(change: PlannedChange, showPersonal: boolean, paint: Paint): string {
  const { action, reason, before, after } = change
  const why = reason === '' ? '' : `: ${visible(reason)}`
  const what = `${SIGNS[action]} ${action} ${describeItem(change, showPersonal)}${why}`
  const lines = [`  ${paint(COLOURS[action], what)}`]
  const fields = action === 'remove' ? [] : plannedFields(change)
  const width = Math.max(...fields.map((field) => field.length))
  for (const field of fields) {
    const [was, is] = [before?.[field], after?.[field]]
    const kind = was === undefined ? 'create' : is === undefined ? 'remove' : 'update'
    const values = describeValues(was, is, (text) => !showPersonal && isPersonal(change, field, text))
    lines.push(`      ${paint(COLOURS[kind], SIGNS[kind])} ${visible(field).padEnd(width)}  ${values}`)
  }
  return `${lines.join('\n')}\n`
}

/** Returns the id of an item and its title or name. Personal data is hidden if `showPersonal` is false. */
function describeItem(change: PlannedChange, showPersonal: boolean): string {
  const id = shownId(change, showPersonal)
  // The name of a created item is left out here, because it is among the fields that follow.
  const name = change.action === 'create' ? null : shownName(change, showPersonal)
  const shown = id === HIDDEN ? HIDDEN : word(id)
  if (name === null || (name === HIDDEN && id === HIDDEN)) return shown
  return `${shown} ${name === HIDDEN ? HIDDEN : quoted(name)}`
}

function shownId(change: PlannedChange, showPersonal: boolean): string {
  return !showPersonal &&
    isPersonalId(change.uniqueId, { addresses: addressesIn(change.before, change.after) })
    ? HIDDEN
    : change.uniqueId
}

/** Returns the title of a session or the name of a person; null if the item has none. */
function shownName({ content, before, after }: PlannedChange, showPersonal: boolean): string | null {
  const text = (_: string, value: FieldValue | undefined) => (typeof value === 'string' ? value : '')
  const name = nameOf(content, after ?? before ?? {}, text)
  if (name === '') return null
  return content === 'agenda' || showPersonal ? name : HIDDEN
}

/**
 * Returns a change as JSON, with every field that differs. For created and removed items, every field
 * differs.
 */
export function toShownChange(change: PlannedChange, showPersonal: boolean): ShownChange {
  const { action, content, reason, before, after } = change
  const shown = (field: string, value: FieldValue | undefined): FieldValue | null => {
    const one = (text: string) => (!showPersonal && isPersonal(change, field, text) ? HIDDEN : text)
    return value === undefined ? null : mapTexts(value, one)
  }
  return {
    action,
    content,
    uniqueId: shownId(change, showPersonal),
    name: shownName(change, showPersonal),
    ...(reason === '' ? {} : { reason }),
    fields: plannedFields(change).map((field) => ({
      field,
      before: shown(field, before?.[field]),
      after: shown(field, after?.[field]),
    })),
  }
}

/**
 * Finds the changes of a run that did not reach the platform.
 *
 * @param limit maximum number of changes of each kind
 */
export async function findNotLanded(
  db: Kysely<Tables>,
  { integration, run, held }: RunReport,
  limit: number,
  showPersonal: boolean,
): Promise<NotLanded> {
  if (run === null) return { rejected: [], withheld: [] }
  const why =
    held === null
      ? 'the platform rejected too many upserts of this content; once these are corrected, the next run removes it'
      : `held by ${held.guard}; to approve it: event-sync plan ${integration}, then apply the plan that it prints`
  const find = async (state: 'failed' | 'withheld') => {
    const found = await findOutcomes(db, { integrationId: integration, runId: run }, state, limit)
    return found.map(({ seq, code, detail, ...change }) => {
      const { fields: _, ...shown } = toShownChange(change, showPersonal)
      return { seq, ...shown, code, detail: state === 'withheld' ? why : detail }
    })
  }
  return { rejected: await find('failed'), withheld: await find('withheld') }
}

/**
 * Formats the changes that did not reach the platform as tables; returns an empty text if there are no such
 * changes.
 */
export function describeNotLanded(
  { rejected, withheld }: NotLanded,
  { failed = 0, withheld: left = 0, output }: RunReport,
): string {
  const tableOf = (what: string, rows: readonly ShownOutcome[], total: number) => {
    if (rows.length === 0) return ''
    const cells = rows.map((row) => [
      row.seq,
      row.content,
      row.uniqueId,
      row.name,
      row.action,
      row.reason ?? null,
      row.code,
      row.detail,
    ])
    const more =
      total > rows.length
        ? `… ${total - rows.length} more: --sample ${total}${output === null ? '' : ', or load_results.csv of the pack'}\n`
        : ''
    return `${toTable([what, 'content', 'unique id', 'name', 'action', 'reason', 'code', 'what follows'], cells)}${more}\n`
  }
  return tableOf('rejected', rejected, failed) + tableOf('withheld', withheld, left)
}

/**
 * Returns a line that says how many changes of a content are not shown, and which command shows them. Returns
 * an empty text if all changes are shown.
 *
 * @param command command that shows changes of the content, without option --sample
 * @param words words for the number of changes of each action
 */
export function describeRest(
  command: string,
  planned: readonly PlannedCount[],
  shown: readonly Action[],
  words = WORDS,
): string {
  const total = sumOf(planned)
  if (shown.length === total) return ''
  const rest = ACTIONS.map((action) => {
    const left = countOf(planned, action) - shown.filter((one) => one === action).length
    return left === 0 ? [] : [`${left} ${words[action]}`]
  })
  return `  … ${total - shown.length} more (${rest.flat().join(', ')}): ${command} --sample ${total}\n`
}

/** Returns one line with the number of changes in the whole plan, and with the reasons of its removals. */
export function describeSummary(counts: readonly PlannedCount[]): string {
  const reasons = new Map<string, number>()
  for (const { action, reason, count } of counts) {
    if (action === 'remove' && reason !== '') reasons.set(reason, (reasons.get(reason) ?? 0) + count)
  }
  const why = [...reasons].map(([reason, count]) => `${visible(reason)} ${count}`).join(', ')
  return `Plan: ${describeCounts(counts)}${why === '' ? '' : ` (${why})`}\n`
}

/** Returns the number of changes for each action, such as `1 to create, 0 to update, 2 to remove`. */
export function describeCounts(counts: readonly PlannedCount[], words = WORDS): string {
  const isShown = (action: Action) => action !== 'handover' || countOf(counts, action) > 0
  return ACTIONS.filter(isShown)
    .map((action) => `${countOf(counts, action)} ${words[action]}`)
    .join(', ')
}

function sumOf(counts: readonly PlannedCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

export function countOf(counts: readonly PlannedCount[], action: Action): number {
  return sumOf(counts.filter((row) => row.action === action))
}

const ELEMENTS = 10

/** Returns true if a value, or an element of a list, is personal data that must not be shown. */
type IsHidden = (text: string) => boolean

/**
 * Describes the value of a field before and after the change. For a list, shows the added and removed
 * elements. For a new or removed field, shows its only value.
 */
function describeValues(before: FieldValue | undefined, after: FieldValue | undefined, isHidden: IsHidden) {
  if (before === undefined || after === undefined) return describeValue(before ?? after ?? [], isHidden)
  if (isList(before) && isList(after)) return describeLists(before, after, isHidden)
  const isPair = typeof before === 'string' && typeof after === 'string'
  if (isPair && !isHidden(before) && !isHidden(after)) return quotedPair(before, after).join(' -> ')
  return `${describeValue(before, isHidden)} -> ${describeValue(after, isHidden)}`
}

function describeValue(value: FieldValue, isHidden: IsHidden): string {
  if (isList(value)) return listed(value, '', isHidden)
  const text = textOf(value)
  if (isHidden(text)) return HIDDEN
  return typeof value === 'string' ? quoted(text) : digits(text)
}

function describeLists(before: readonly string[], after: readonly string[], isHidden: IsHidden): string {
  const [added, removed] = [without(after, before), without(before, after)]
  if (added.length + removed.length === 0) return `in another order: ${listed(after, '', isHidden)}`
  const parts = [listed(added, '+ ', isHidden), listed(removed, '- ', isHidden)]
  return parts.filter((part) => part !== '').join(', ')
}

function listed(list: readonly string[], sign: string, isHidden: IsHidden): string {
  const named = list.slice(0, ELEMENTS).map((text) => sign + (isHidden(text) ? HIDDEN : word(text)))
  const more = list.length > ELEMENTS ? [`${sign}${list.length - ELEMENTS} more`] : []
  return [...named, ...more].join(', ')
}

/**
 * Returns the elements of a list that another list does not have. An element that occurs two times more than
 * in the other list is returned twice.
 */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const text of other) left.set(text, (left.get(text) ?? 0) + 1)
  return list.filter((text) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0
  })
}
