import type { parser } from 'stream-json'
import { type Json, toJsonNumber } from '../../transforms/rules/json.ts'

type Container = Json[] | { [key: string]: Json }

/** Builds one JSON value from tokens; numbers keep their digits. */
export interface ElementAssembler {
  /**
   * @returns the value when the token completes it, else `undefined`
   */
  take(token: parser.Token): Json | undefined
}

/**
 * Deeper values are refused before they are built, since they would cost memory and stack to print.
 * Ours: no source nests further than ten.
 */
export const MAX_NESTING = 64

/**
 * Makes an assembler for values that follow one another.
 *
 * Ours rather than stream-json's, which turns numbers into doubles and so loses the digits of long ids.
 *
 * @throws RangeError for a value nested deeper than `MAX_NESTING`
 */
export function assembleElements(): ElementAssembler {
  const stack: { readonly container: Container; readonly key: string }[] = []
  let container: Container | null = null
  let key = ''

  function place(value: Json): Json | undefined {
    if (container === null) return value
    if (Array.isArray(container)) container.push(value)
    else if (key === '__proto__')
      Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true })
    else container[key] = value
    return undefined
  }

  function open(next: Container): undefined {
    if (container !== null) stack.push({ container, key })
    if (stack.length >= MAX_NESTING) throw new RangeError(`nested deeper than ${MAX_NESTING} levels`)
    container = next
    return undefined
  }

  function close(): Json | undefined {
    const value = container
    const parent = stack.pop()
    container = parent?.container ?? null
    key = parent?.key ?? ''
    return value === null ? undefined : place(value)
  }

  return {
    take(token) {
      switch (token.name) {
        case 'keyValue':
          key = token.value
          return undefined
        case 'stringValue':
        case 'nullValue':
        case 'trueValue':
        case 'falseValue':
          return place(token.value)
        case 'numberValue':
          return place(toJsonNumber(token.value))
        case 'startObject':
          return open({})
        case 'startArray':
          return open([])
        case 'endObject':
        case 'endArray':
          return close()
        default:
          return undefined
      }
    },
  }
}
