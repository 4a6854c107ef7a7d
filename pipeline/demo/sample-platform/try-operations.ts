import { isDeepStrictEqual } from 'node:util'
import type { Operation } from './contract.ts'
import { hashPassword } from './password.ts'
import type { Effect, Result } from './records.ts'
import type { Item, Store } from './store.ts'

/** Why an operation fails that would otherwise have had its effect. */
export interface Failure {
  readonly code: string
  readonly retryable?: boolean | undefined
}

export interface Tried {
  /** One for each operation, in their order. */
  readonly results: readonly Result[]
  /** One for each operation that did not fail. */
  readonly effects: readonly Effect[]
}

/** Says what the operations would do one after another; nothing is stored yet. */
export function tryOperations(
  operations: readonly Operation[],
  store: Store,
  failureOf: (operation: Operation) => Failure | undefined,
): Tried {
  const results: Result[] = []
  const effects: Effect[] = []
  // What the operations before have made of an item; undefined where they have removed it.
  const draft = new Map<string, Item | undefined>()

  for (const operation of operations) {
    const { seq, op, content, uniqueId } = operation
    const failure = failureOf(operation)
    if (failure !== undefined) {
      results.push({ seq, status: 'failed', code: failure.code, retryable: failure.retryable })
      continue
    }
    const place = `${content} ${uniqueId}`
    const before = draft.has(place) ? draft.get(place) : store.item(content, uniqueId)
    const change = changeOf(operation, before)
    if (change.effect === 'removed') draft.set(place, undefined)
    if (change.fields !== undefined) draft.set(place, { fields: change.fields })
    const passwordGiven = op === 'upsert' && operation.password !== undefined
    effects.push({ seq, op, content, uniqueId, passwordGiven, ...change })
    results.push({ seq, status: change.effect })
  }
  return { results, effects }
}

function changeOf(
  operation: Operation,
  before: Item | undefined,
): Pick<Effect, 'effect' | 'fields' | 'passwordHash'> {
  if (operation.op === 'remove') return { effect: before === undefined ? 'unchanged' : 'removed' }
  const { fields, password } = operation
  if (before === undefined) {
    return {
      effect: 'created',
      fields,
      ...(password === undefined ? {} : { passwordHash: hashPassword(password) }),
    }
  }
  return isDeepStrictEqual(before.fields, fields) ? { effect: 'unchanged' } : { effect: 'updated', fields }
}
