import { createHash, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Batch, type Fields, type Operation, readBatch } from './contract.ts'
import type { ArmedFaults } from './faults.ts'
import { type Refusal, refusal } from './refusal.ts'
import type { Effect, Item, Result, Store } from './store.ts'

/** The state and settings with which the platform handles a batch. */
export interface BatchContext {
  readonly store: Store
  readonly faults: ArmedFaults
  /** True if each e-mail address may belong to only one attendee. */
  readonly uniqueAddresses: boolean
}

/**
 * Decides on a batch and stores its effects. No other request is handled in between.
 *
 * If the idempotency key is known, the platform answers with the stored results before any other check.
 * Therefore a sender that retries gets the results of its batch even if a newer run has written in the
 * meantime.
 */
export function takeBatch(
  context: BatchContext,
  key: string,
  bytes: Uint8Array,
): readonly Result[] | Refusal {
  const { store, faults } = context
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const known = store.keys.get(key)
  const isKnown = known !== undefined && faults.take(['forgetsKeys']) === undefined
  if (isKnown && known.sha256 !== sha256) return refusal(409, 'key_reused')
  if (isKnown && known.results !== undefined) return known.results

  const batch = readBatch(bytes)
  const refused = batch === null ? refusal(400, 'invalid') : refusalOf(batch, context)
  if (batch === null || refused !== null) {
    if (known === undefined) store.commit({ record: 'key', key, sha256 })
    return refused ?? []
  }
  const { integration, run, fence, phase, operations } = batch
  const failures = faults.takeAll('failOperation', (fault) => operations.some(isThatOf(fault)))
  const taken = context.uniqueAddresses
    ? addressesTaken(operations, store, (operation) => failures.some((fault) => isThatOf(fault)(operation)))
    : new Set<Operation>()
  const { results, effects } = tryOperations(operations, store, (operation) =>
    taken.has(operation)
      ? { code: 'email_taken', retryable: false }
      : failures.find((fault) => isThatOf(fault)(operation)),
  )
  if (faults.take(['acknowledgesWithoutStoring'])) return results
  const first = effects.find(({ effect }) => effect !== 'unchanged')
  const lost = first !== undefined && faults.take(['losesOneOperation']) ? first : undefined
  const kept = effects.filter((effect) => effect !== lost)
  store.commit({ record: 'batch', integration, run, fence, phase, key, sha256, results, effects: kept })
  return results
}

/** Returns the refusal of a well-formed batch as a whole; null if the batch is accepted. */
function refusalOf(batch: Batch, { store, faults }: BatchContext): Refusal | null {
  const { integration, run, fence, operations } = batch
  const highest = store.fences.get(integration)
  const isStale =
    highest !== undefined && (fence < highest.fence || (fence === highest.fence && run !== highest.run))
  if (isStale && faults.take(['ignoresFences']) === undefined)
    return { status: 409, body: { error: 'stale_fence', fence: highest.fence } }
  const fault = faults.take(['refuseBatch'], (one) => operations.some(isThatOf(one)))
  return fault === undefined ? null : refusal(fault.status ?? 422, fault.error ?? 'refused')
}

/**
 * Finds the upserts of attendees whose address would also belong to another attendee after the whole batch.
 * An upsert that fails does not change its attendee, so the remaining upserts are checked again.
 */
function addressesTaken(
  operations: readonly Operation[],
  store: Store,
  fails: (operation: Operation) => boolean,
): ReadonlySet<Operation> {
  const taken = new Set<Operation>()
  for (;;) {
    const owners = new Map<string, string | null>(
      store.items('attendees').map(([uniqueId, { fields }]) => [uniqueId, addressOf(fields)]),
    )
    const standing = operations.filter((one) => one.content === 'attendees' && !fails(one) && !taken.has(one))
    for (const one of standing) owners.set(one.uniqueId, one.op === 'remove' ? null : addressOf(one.fields))
    const touched = new Set(standing.map(({ uniqueId }) => uniqueId))
    const first = new Map<string, string>()
    // First, attendees whom the batch does not change get their own e-mail address. Afterwards the operations
    // get their e-mail addresses in the order of the batch.
    for (const uniqueId of [...[...owners.keys()].filter((id) => !touched.has(id)), ...touched]) {
      const address = owners.get(uniqueId) ?? null
      if (address !== null && !first.has(address)) first.set(address, uniqueId)
    }
    const failing = standing.filter((one) => {
      const address = one.op === 'remove' ? null : addressOf(one.fields)
      return address !== null && first.get(address) !== one.uniqueId
    })
    if (failing.length === 0) return taken
    for (const one of failing) taken.add(one)
  }
}

function addressOf({ emailAddress }: Fields): string | null {
  return typeof emailAddress === 'string' ? emailAddress.toLowerCase() : null
}

function isThatOf(named: {
  readonly uniqueId: string
  readonly content?: string
}): (operation: Operation) => boolean {
  return ({ uniqueId, content }) => uniqueId === named.uniqueId && (named.content ?? content) === content
}

/**
 * Computes the effects of the operations in their order, without storing the effects. A failed operation has
 * no effect.
 */
function tryOperations(
  operations: readonly Operation[],
  store: Store,
  failureOf: (operation: Operation) => Pick<Result, 'code' | 'retryable'> | undefined,
): { readonly results: readonly Result[]; readonly effects: readonly Effect[] } {
  const results: Result[] = []
  const effects: Effect[] = []
  // Each item as it is after the earlier operations of the batch; undefined if one of these operations
  // removed the item.
  const draft = new Map<string, Item | undefined>()
  for (const operation of operations) {
    const { seq, op, content, uniqueId } = operation
    const failure = failureOf(operation)
    if (failure !== undefined) {
      const { code = 'rejected', retryable } = failure
      results.push({ seq, status: 'failed', code, ...(retryable === undefined ? {} : { retryable }) })
      continue
    }
    const place = `${content} ${uniqueId}`
    const change = changeOf(operation, draft.has(place) ? draft.get(place) : store.item(content, uniqueId))
    if (change.effect === 'removed') draft.set(place, undefined)
    if (change.fields !== undefined) draft.set(place, { fields: change.fields })
    const passwordGiven = op === 'upsert' && operation.password !== undefined
    const storeEncryptedPassword = op === 'upsert' && operation.storeEncryptedPassword === true
    effects.push({ seq, op, content, uniqueId, passwordGiven, storeEncryptedPassword, ...change })
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
  if (before !== undefined)
    return isDeepStrictEqual(before.fields, fields) ? { effect: 'unchanged' } : { effect: 'updated', fields }
  if (password === undefined) return { effect: 'created', fields }
  return { effect: 'created', fields, passwordHash: hashPassword(password, randomBytes(8).toString('hex')) }
}

/** `salt:hash`. */
function hashPassword(password: string, salt: string): string {
  return `${salt}:${createHash('sha256').update(`${salt} ${password}`).digest('hex')}`
}

export function isPassword(password: string, { passwordHash = '' }: Partial<Item>): boolean {
  return hashPassword(password, passwordHash.split(':')[0] ?? '') === passwordHash
}
