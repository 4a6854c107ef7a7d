import type { Content, Fields } from '../../sql/tables.ts'
import type { Controls, SamplePlatform } from './sample-platform/start.ts'
import type { DanglingReference, LedgerEntry } from './sample-platform/store.ts'

/** Describes what a platform holds, and everything that ever took effect there. */
export interface PlatformLook {
  readonly items: ReturnType<Controls['state']>['items']
  readonly ledger: readonly LedgerEntry[]
  readonly dangling: readonly DanglingReference[]
}

/** An item that the source says the platform should have. */
export interface WantedItem {
  readonly content: Content
  readonly uniqueId: string
  readonly fields: Fields
}

/** Describes what the ledger of runs says of one operation. */
interface RecordedOutcome {
  /** As the platform's ledger names it. */
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
 * Tells where a platform is not what the source says, if an operation took effect twice, and if the runs
 * remember another outcome than the platform.
 *
 * @param remembered null if nobody can ask the runs
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

/** Returns what a platform has, by `content uniqueId`. */
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

/** A handover is a removal and an upsert. */
const operationOf = ({ run, seq, op }: Pick<RecordedOutcome, 'run' | 'seq' | 'op'>) =>
  `${op} ${seq} of ${run}`

/** A change as a run remembers it. */
export interface RememberedChange extends Omit<RecordedOutcome, 'op'> {
  readonly action: string
  readonly freed: boolean
}

/** The operations of a change, and what became of each. */
function outcomesOf({ action, freed, ...change }: RememberedChange): readonly RecordedOutcome[] {
  if (action !== 'handover') return [{ ...change, op: action === 'remove' ? 'remove' : 'upsert' }]
  // The removal is remembered only as landed.
  const removal = {
    ...change,
    op: 'remove',
    state: freed ? 'applied' : 'failed',
    result: 'removed',
    // Another hand may have removed it before.
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

/** Only what is not there can be created, and only what is there updated or removed. */
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
    // Reading back shows that the item is right, not which operation made it so.
    if (one.code === 'read_back') return []
    const remembered = one.state === 'applied' ? one.result : null
    if (remembered === effect) return []
    return [
      `${name} (${one.uniqueId}) is remembered as ${one.result ?? one.state}, and was ${effect ?? 'not taken'}`,
    ]
  })
  return [...faults, ...[...effects.keys()].map((name) => `${name} is not remembered`)]
}
