import { BatchRefusedError } from '../../loaders/platform/own-target.ts'
import { PlatformRefusalError } from '../../loaders/platform/target.ts'
import type { TargetRequest } from './request.ts'

/**
 * Makes functions that call the code of a target outside this package. An error of that code may contain
 * values of people, so its message is replaced. The errors that `request` throws, and the errors that a
 * target throws on purpose, stay as they are.
 *
 * @param title name of the target, for messages
 */
export function guarded(title: string) {
  const passed = new WeakSet<object>()
  const replaced = (name: string, error: unknown) => {
    const isMeant = error instanceof BatchRefusedError || error instanceof PlatformRefusalError
    if (isMeant || (error instanceof Error && passed.has(error))) return error
    return new PlatformRefusalError(
      `\`${name}\` of ${title} threw ${kindOf(error)}${placeOf(error)}; correct the file of the target (the message of the error may contain personal data, so it is not shown)`,
    )
  }
  return {
    /** Marks the errors of `request`, because their messages contain no values. */
    passing:
      (request: TargetRequest): TargetRequest =>
      async (...asked) => {
        try {
          return await request(...asked)
        } catch (error) {
          if (error instanceof Error) passed.add(error)
          throw error
        }
      },
    callNow<Result>(name: string, work: () => Result): Result {
      try {
        return work()
      } catch (error) {
        throw replaced(name, error)
      }
    },
    async call<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
      try {
        return await work()
      } catch (error) {
        throw replaced(name, error)
      }
    },
    async *iterate<Item>(name: string, work: () => AsyncIterable<Item>): AsyncGenerator<Item> {
      try {
        for await (const item of work()) yield item
      } catch (error) {
        throw replaced(name, error)
      }
    },
  }
}

const kindOf = (error: unknown) => (error instanceof Error ? error.constructor.name : typeof error)

/** Returns the file and line that threw an error, from its stack without the message; empty if unknown. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error) || error.stack === undefined) return ''
  const frames = error.stack.slice(error.stack.indexOf(error.message) + error.message.length)
  const [, file, line] = /([\w.-]+\.[cm]?[jt]s)(?:\?\w+)?:(\d+):\d+\)?$/m.exec(frames) ?? []
  return file === undefined ? '' : ` in ${file}, line ${line}`
}
