import { UnknownColumnError } from '../../transforms/declare/resource.ts'
import { placeInCode } from '../../transforms/texts/place-in-code.ts'

/** The code of a source or target outside this package, and the errors in which its mistakes are reported. */
interface OutsideCode {
  readonly kind: 'source' | 'target'
  /** Name of the source or target, for messages. */
  readonly title: string
  /** Returns true for an error that the code throws on purpose. */
  isMeant(error: unknown): boolean
  toError(what: string, todo: string): Error
}

/**
 * Makes functions that call the code of a source or target outside this package. An error of that code may
 * contain values of people, so its message is replaced. The errors that functions of the product throw, and
 * the errors that the code throws on purpose, stay as they are.
 */
export function guarded({ kind, title, isMeant, toError }: OutsideCode) {
  const passed = new WeakSet<object>()
  const replaced = (name: string, error: unknown) => {
    if (isMeant(error) || (error instanceof Error && passed.has(error))) return error
    const correct = `correct the file of the ${kind}`
    if (error instanceof UnknownColumnError)
      return toError(`\`${name}\` of ${title}: ${error.message}${placeInCode(error)}`, correct)
    return toError(
      `\`${name}\` of ${title} threw ${kindOf(error)}${placeInCode(error)}`,
      `${correct} (the message of the error may contain personal data, so it is not shown)`,
    )
  }
  return {
    /** Marks the errors of a function of the product that the code calls. */
    passing:
      <Given extends readonly unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        try {
          return await work(...given)
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
