import { createInterface } from 'node:readline/promises'
import { z } from 'zod'
import { plainMessage, UserError } from '../settings/errors.ts'
import type { CommandIo } from './io.ts'

export interface Question<Answer> {
  readonly about: string
  /** The key of the answer in the configuration. */
  readonly key: string
  readonly preset?: string | undefined
  /** The rule for an answer; its complaints are shown, and the question is asked again. */
  readonly schema: z.ZodType<Answer>
}

/** Asks until the answer is one. @throws UserError at Ctrl-C and at the end of the input */
export type Ask = <Answer>(question: Question<Answer>) => Promise<Answer>

/** Asks a person one question after another, line by line; with Ctrl-C and editing where it is a terminal. */
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
  // Not `question`: it never settles when the input ends, and loses lines that come before it is called.
  const lines = terminal[Symbol.asyncIterator]()
  const ask: Ask = async ({ about, key, preset, schema }) => {
    output.write(`${about}\n`)
    terminal.setPrompt(`  ${key}${preset === undefined ? '' : ` [${preset}]`}: `)
    while (true) {
      // Lines may be left when the input has ended.
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

/** Says if there is a person at a terminal to ask. */
export function canAsk(
  { stdin, stderr }: CommandIo,
  { input, json }: { readonly input: boolean; readonly json: boolean },
): boolean {
  return input && !json && stdin.isTTY === true && stderr.isTTY === true
}

/** Asks for one line of text. */
export function askForText({ stdin, stderr }: CommandIo, question: string): Promise<string> {
  return converse(stdin, stderr.bare ?? stderr, (ask) =>
    ask({ about: question, key: 'id', schema: z.string() }),
  )
}

/** Asks for a yes or a no. */
export async function confirm({ stdin, stderr }: CommandIo, question: string): Promise<boolean> {
  const answer = await converse(stdin, stderr.bare ?? stderr, (ask) =>
    ask({ about: question, key: 'yes or no', schema: z.enum(['yes', 'no']) }),
  )
  return answer === 'yes'
}
