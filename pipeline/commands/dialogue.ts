import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { z } from 'zod'
import { plainMessage, UserError } from '../settings/errors.ts'
import type { CommandIo } from './io.ts'
import type { GlobalOptions } from './session.ts'

export interface Question<Answer> {
  readonly about: string
  /** Key under which the configuration stores the answer. */
  readonly key: string
  readonly preset?: string | undefined
  /**
   * Schema of the answer. If an answer does not match the schema, the user sees the message of the schema and
   * is asked again.
   */
  readonly schema: z.ZodType<Answer>
}

/**
 * Asks a question again and again until the answer is valid.
 *
 * @throws UserError if the user presses Ctrl-C or the input ends
 */
export type Ask = <Answer>(question: Question<Answer>) => Promise<Answer>

/**
 * Asks a person one question after another, and reads each answer as one line. At a terminal, the person can
 * edit the line and can stop with Ctrl-C.
 */
export async function converse<Result>(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  questions: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  const terminal = createInterface({ input, output, historySize: 0 })
  let isOpen = true
  terminal.on('close', () => {
    isOpen = false
  })
  terminal.on('SIGINT', () => terminal.close())
  // The method `question` of readline is not used. The promise of `question` never settles if the input ends.
  // Also, `question` loses lines that arrive before the call.
  const lines = terminal[Symbol.asyncIterator]()
  const ask: Ask = async ({ about, key, preset, schema }) => {
    output.write(`${about}\n`)
    terminal.setPrompt(`  ${key}${preset === undefined ? '' : ` [${preset}]`}: `)
    while (true) {
      // The input may end before all of its lines are processed.
      if (isOpen) terminal.prompt()
      else output.write(terminal.getPrompt())
      const line = await lines.next()
      if (line.done === true) {
        output.write('\n')
        throw new UserError('interrupted', 'interrupted', 'nothing was written')
      }
      const answer = line.value.trim()
      const result = schema.safeParse(answer === '' ? preset : answer, { error: plainMessage })
      if (result.success) return result.data
      output.write(`  ${key} ${result.error.issues[0]?.message}\n`)
    }
  }
  try {
    return await questions(ask)
  } finally {
    terminal.close()
  }
}

/**
 * Returns true if a person sits at a terminal and can answer questions. With --quiet the result is false,
 * because the question would not be visible.
 */
export function canAsk(
  { stdin, stderr }: CommandIo,
  { input, json, quiet }: Pick<GlobalOptions, 'input' | 'json' | 'quiet'>,
): boolean {
  return input && !json && !quiet && stdin.isTTY === true && stderr.isTTY === true
}

/**
 * Asks the user for one line at a terminal. The terminal does not show what the user types. The line editor
 * of readline switches the echo of the terminal off, and the function discards the output of the editor.
 *
 * @throws UserError if the user presses Ctrl-C or the input ends
 */
export async function askHidden({ stdin, stderr }: CommandIo, prompt: string): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
  terminal.on('SIGINT', () => terminal.close())
  stderr.write(prompt)
  try {
    const line = await terminal[Symbol.asyncIterator]().next()
    if (line.done === true) throw new UserError('interrupted', 'interrupted', 'nothing was done')
    return line.value
  } finally {
    stderr.write('\n')
    terminal.close()
  }
}

/** Asks for one line of text. */
export function askForText({ stdin, stderr }: CommandIo, question: string): Promise<string> {
  return converse(stdin, stderr.bare ?? stderr, (ask) =>
    ask({ about: question, key: 'id', schema: z.string() }),
  )
}

/** Asks a yes-or-no question. */
export async function confirm({ stdin, stderr }: CommandIo, question: string): Promise<boolean> {
  const answer = await converse(stdin, stderr.bare ?? stderr, (ask) =>
    ask({ about: question, key: 'yes or no', schema: z.enum(['yes', 'no']) }),
  )
  return answer === 'yes'
}
