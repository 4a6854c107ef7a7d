import type { Content, Fields } from '../../sql/tables.ts'
import type { Controls, SamplePlatform } from './sample-platform/start.ts'
import type { DanglingReference, LedgerEntry } from './sample-platform/store.ts'

/** The items of a platform, and every creation, update and removal that ever happened on this platform. */
export interface PlatformLook {
  readonly items: ReturnType<Controls['state']>['items']
  readonly ledger: readonly LedgerEntry[]
  readonly dangling: readonly DanglingReference[]
}

/** An item that the platform should have according to the source. */
export interface WantedItem {
  readonly content: Content
  readonly uniqueId: string
  readonly fields: Fields
}

/** The result of one operation according to the product's ledger of runs. */
interface RecordedOutcome {
  /** The run id in the form that the platform's ledger uses. */
  readonly run: string
  readonly seq: number
  readonly op: 'upsert' | 'remove'
  readonly uniqueId: string
  readonly state: string
  readonly result: string | null
  readonly code: string | null
}

export async function lookAt(platform: Pick<SamplePlatform, 'control'>): Promise<PlatformLook> {
  const { items } = await platform.control('state')
  const { ledger } = await platform.control('ledger')
  const { dangling } = await platform.control('dangling')
  return { items, ledger, dangling }
}

/**
 * Returns all faults of a platform as texts: each difference from the source, and each operation that took
 * effect twice. If the platform and the ledger of runs state different results for an operation, this is a
 * fault too.
 *
 * @param remembered null if the ledger of runs is not available
 */
export function judgePlatform(
  look: PlatformLook,
  wanted: readonly WantedItem[],
  remembered: readonly RememberedChange[] | null,
): readonly string[] {
  return [
    ...itemFaults(look, wanted),
    ...look.dangling.map(
      ({ content, uniqueId, field, missing }) =>
        `${content} ${uniqueId}: ${field} names ${missing}, not there`,
    ),
    ...repeats(look.ledger),
    ...impossibleEffects(look.ledger),
    ...(remembered === null ? [] : memoryFaults(look.ledger, remembered.flatMap(outcomesOf))),
  ]
}

function itemFaults({ items }: PlatformLook, wanted: readonly WantedItem[]): readonly string[] {
  const there = new Map(
    Object.entries(itemsByName(items)).map(([name, fields]) => [name, inOneOrder(fields)]),
  )
  const faults = wanted.flatMap(({ content, uniqueId, fields }) => {
    const name = `${content} ${uniqueId}`
    const found = there.get(name)
    there.delete(name)
    if (found === undefined) return [`${name} is not there`]
    return found === inOneOrder(fields) ? [] : [`${name} is ${found} instead of ${inOneOrder(fields)}`]
  })
  return [...faults, ...[...there.keys()].map((name) => `${name} should not be there`)]
}

/** Returns the fields of a platform's items, by `content uniqueId`. */
export function itemsByName(items: PlatformLook['items']): Readonly<Record<string, Fields>> {
  return Object.fromEntries(
    Object.entries(items).flatMap(([content, list]) =>
      list.map(({ uniqueId, fields }) => [`${content} ${uniqueId}`, fields as Fields]),
    ),
  )
}

function inOneOrder(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Names an operation. The name includes `op`, because a handover (an id that goes to another person) consists
 * of a removal and an upsert with the same `seq`.
 */
const operationOf = ({ run, seq, op }: Pick<RecordedOutcome, 'run' | 'seq' | 'op'>) =>
  `${op} ${seq} of ${run}`

/** A planned change with its result, read from the product's ledger of runs. */
export interface RememberedChange extends Omit<RecordedOutcome, 'op'> {
  readonly action: string
  readonly freed: boolean
}

/** Returns the operations of a change with their results. */
function outcomesOf({ action, freed, ...change }: RememberedChange): readonly RecordedOutcome[] {
  if (action !== 'handover') return [{ ...change, op: action === 'remove' ? 'remove' : 'upsert' }]
  // For a removal the ledger of runs states only that the removal was applied.
  const removal = {
    ...change,
    op: 'remove',
    state: freed ? 'applied' : 'failed',
    result: 'removed',
    // The code `read_back` means that this removal need not have an effect: someone else may have removed the
    // item before.
    code: freed ? 'read_back' : null,
  } as const
  return [
    ...(freed || change.state === 'failed' ? [removal] : []),
    { ...change, op: 'upsert', state: freed ? change.state : 'pending' },
  ]
}

function repeats(ledger: readonly LedgerEntry[]): readonly string[] {
  const seen = new Set<string>()
  return ledger.map(operationOf).flatMap((name) => {
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    return [`${name} was taken twice`]
  })
}

/**
 * Lists impossible effects: creations of items that existed already, and updates or removals of items that
 * did not exist.
 */
function impossibleEffects(ledger: readonly LedgerEntry[]): readonly string[] {
  const there = new Set<string>()
  return ledger.flatMap(({ content, uniqueId, op, effect }) => {
    const name = `${content} ${uniqueId}`
    const wasThere = there.has(name)
    if (effect === 'created') there.add(name)
    if (effect === 'removed') there.delete(name)
    const isPossible =
      effect === 'unchanged' ? wasThere === (op === 'upsert') : wasThere !== (effect === 'created')
    return isPossible ? [] : [`${name} was ${effect} when it was ${wasThere ? '' : 'not '}there`]
  })
}

function memoryFaults(
  ledger: readonly LedgerEntry[],
  recorded: readonly RecordedOutcome[],
): readonly string[] {
  const effects = new Map(ledger.map((entry) => [operationOf(entry), entry.effect as string]))
  const faults = recorded.flatMap((one) => {
    const name = operationOf(one)
    const effect = effects.get(name) ?? null
    effects.delete(name)
    // A result that was read back proves that the item is right, but not which operation changed the item.
    if (one.code === 'read_back') return []
    const remembered = one.state === 'applied' ? one.result : null
    if (remembered === effect) return []
    return [
      `${name} (${one.uniqueId}) is remembered as ${one.result ?? one.state}, and was ${effect ?? 'not taken'}`,
    ]
  })
  return [...faults, ...[...effects.keys()].map((name) => `${name} is not remembered`)]
}
