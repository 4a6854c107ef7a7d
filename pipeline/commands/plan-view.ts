import { styleText } from 'node:util'
import { type Command, InvalidArgumentError } from 'commander'
import type { Content } from '../../sql/tables.ts'
import { READING_ORDER } from '../runtime/report.ts'
import { HIDDEN, HIDDEN_HINT } from '../text/personal.ts'
import { wholeNumber } from './arguments.ts'
import type { CommandIo } from './io.ts'
import type { Paint } from './print-plan.ts'
import type { GlobalOptions } from './session.ts'

/** Options that choose what is shown of a plan, never what is planned. */
export interface PlanOptions {
  readonly sample: number
  /** Contents whose changes are shown; left out: all. */
  readonly content?: readonly Content[]
}

/** What is shown of the plans of one command, and how. */
export type PlanView = ReturnType<typeof planView>

export function addPlanOptions(command: Command): Command {
  return command
    .option('--sample <n>', 'changes shown of each content; 0: only the summary', wholeNumber(0), 10)
    .option(
      '--content <content>',
      `contents whose changes are shown, of ${READING_ORDER.join()}; left out: all`,
      toContents,
    )
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

export function planView(
  { sample, content }: PlanOptions,
  { showPersonal, color }: Pick<GlobalOptions, 'showPersonal' | 'color'>,
  io: Pick<CommandIo, 'stdout'>,
) {
  let isHintDue = !showPersonal
  const plain: Paint = (_, text) => text
  const coloured: Paint = (colour, text) =>
    styleText(colour, text, { stream: io.stdout, validateStream: true })
  return {
    sample,
    contents: READING_ORDER.filter((one) => content === undefined || content.includes(one)),
    showPersonal,
    paint: color ? coloured : plain,
    /** How to see what a text hides; empty after the first time. */
    hint(text: string): string {
      if (!isHintDue || !text.includes(HIDDEN)) return ''
      isHintDue = false
      return HIDDEN_HINT
    },
  }
}
