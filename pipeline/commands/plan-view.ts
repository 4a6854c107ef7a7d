import { styleText } from 'node:util'
import { type Command, InvalidArgumentError } from 'commander'
import type { Content } from '../../sql/tables.ts'
import { READING_ORDER } from '../report.ts'
import { HIDDEN } from './personal.ts'
import type { Paint } from './print-plan.ts'
import type { GlobalOptions } from './session.ts'

/** Options that choose what is shown of a plan, never what is planned. */
export interface PlanOptions {
  /** Most changes of each content. */
  readonly sample: number
  /** Contents whose changes are shown; left out: all. */
  readonly content?: readonly Content[]
}

/** What is shown of the plans of one command, and how. */
export interface PlanView {
  readonly sample: number
  /** In the order in which people read them. */
  readonly contents: readonly Content[]
  readonly showPersonal: boolean
  readonly paint: Paint
  /** How to see what a text hides, the first time that one does; nothing after. */
  hint(text: string): string
}

/** Gives a command the options of a plan. */
export function addPlanOptions(command: Command): Command {
  return command
    .option('--sample <n>', 'changes shown of each content; 0: only the summary', toSample, 10)
    .option(
      '--content <content>',
      `contents whose changes are shown, of ${READING_ORDER.join()}; left out: all`,
      toContents,
    )
}

function toSample(text: string): number {
  if (/^(?:0|[1-9]\d{0,5})$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0.')
}

function toContents(text: string, previous: readonly Content[] = []): readonly Content[] {
  const contents = text.split(',').map((name) => {
    const content = READING_ORDER.find((one) => one === name.trim())
    if (content === undefined)
      throw new InvalidArgumentError(`"${name}" is none of ${READING_ORDER.join(', ')}.`)
    return content
  })
  return [...previous, ...contents]
}

/** The view of the plans that one command shows on standard output. */
export function planView(
  { sample, content }: PlanOptions,
  { showPersonal, color }: Pick<GlobalOptions, 'showPersonal' | 'color'>,
): PlanView {
  let isHintDue = !showPersonal
  return {
    sample,
    contents: READING_ORDER.filter((one) => content === undefined || content.includes(one)),
    showPersonal,
    paint: color
      ? (colour, text) => styleText(colour, text, { stream: process.stdout, validateStream: true })
      : (_, text) => text,
    hint(text) {
      if (!isHintDue || !text.includes(HIDDEN)) return ''
      isHintDue = false
      return `${HIDDEN} stands for values of people; --show-personal shows them\n`
    },
  }
}
