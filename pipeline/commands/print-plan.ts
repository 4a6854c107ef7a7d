import { type PlannedChange, type PlannedCount, plannedFields } from '../../loaders/audit/plan-changes.ts'
import type { Action, Content, FieldValue } from '../../sql/tables.ts'
import { mapTexts } from '../../transforms/declare/field-values.ts'
import { HIDDEN, isPersonal, isPersonalId } from '../text/personal.ts'
import { visible, word } from '../text/visible.ts'
import { describeValues } from './print-value.ts'

/** Gives a text a colour, or leaves it as it is. */
export type Paint = (colour: 'green' | 'yellow' | 'red', text: string) => string

const ACTIONS: readonly Action[] = ['create', 'update', 'remove']
const COLOURS = { create: 'green', update: 'yellow', remove: 'red' } as const
const SIGNS = { create: '+', update: '~', remove: '-' } as const

/** A change for people: what becomes of the item and, below it, its fields; of a removal none. */
export function describeChange(change: PlannedChange, showPersonal: boolean, paint: Paint): string {
  const { action, reason, uniqueId, before, after } = change
  const id = !showPersonal && isPersonalId(change) ? HIDDEN : word(uniqueId)
  const why = reason === '' ? '' : `: ${visible(reason)}`
  const lines = [`  ${paint(COLOURS[action], `${SIGNS[action]} ${action} ${id}${why}`)}`]
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

export type ShownChange = Readonly<ReturnType<typeof toShownChange>>

/** A change for machines: every field in which the item differs, which of created and removed items is all. */
export function toShownChange(change: PlannedChange, showPersonal: boolean) {
  const { action, content, uniqueId, reason, before, after } = change
  const shown = (field: string, value: FieldValue | undefined): FieldValue | null => {
    const one = (text: string) => (!showPersonal && isPersonal(change, field, text) ? HIDDEN : text)
    return value === undefined ? null : mapTexts(value, one)
  }
  return {
    action,
    content,
    uniqueId: !showPersonal && isPersonalId(change) ? HIDDEN : uniqueId,
    ...(reason === '' ? {} : { reason }),
    fields: plannedFields(change).map((field) => ({
      field,
      before: shown(field, before?.[field]),
      after: shown(field, after?.[field]),
    })),
  }
}

/** How many changes of a content are not shown, and how to see them; empty where all are. */
export function describeRest(
  runId: string,
  content: Content,
  planned: readonly PlannedCount[],
  shown: readonly Action[],
): string {
  const total = sumOf(planned)
  if (shown.length === total) return ''
  const rest = ACTIONS.map((action) => {
    const left = countOf(planned, action) - shown.filter((one) => one === action).length
    return left === 0 ? [] : [`${left} to ${action}`]
  })
  const command = `event-sync show ${runId} --content ${content} --sample ${total}`
  return `  … ${total - shown.length} more (${rest.flat().join(', ')}): ${command}\n`
}

/** The whole plan in one line, with the reasons of its removals. */
export function describeSummary(counts: readonly PlannedCount[]): string {
  const reasons = new Map<string, number>()
  for (const { action, reason, count } of counts) {
    if (action === 'remove' && reason !== '') reasons.set(reason, (reasons.get(reason) ?? 0) + count)
  }
  const why = [...reasons].map(([reason, count]) => `${visible(reason)} ${count}`).join(', ')
  const sums = ACTIONS.map((action) => `${countOf(counts, action)} to ${action}`).join(', ')
  return `Plan: ${sums}${why === '' ? '' : ` (${why})`}\n`
}

export function sumOf(counts: readonly PlannedCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

function countOf(counts: readonly PlannedCount[], action: Action): number {
  return sumOf(counts.filter((row) => row.action === action))
}
