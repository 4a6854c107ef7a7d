import type { FaultOrder } from '../../pipeline/demo/sample-platform/faults.ts'
import type { Content } from '../model/options.ts'
import type { Random } from '../model/random.ts'
import { declare, type Tally } from '../model/tally.ts'

/** What is about to be sent. */
export interface Due {
  readonly content: Content
  readonly uniqueId: string
  readonly action: 'create' | 'update' | 'remove'
}

type MakeOrder = (random: Random, batches: number) => FaultOrder

const passes = (random: Random) => 1 + random.below(2)
const lets = (random: Random, batches: number) => random.below(batches)

/** On the way to the platform and back: one of these at a time. */
const ON_THE_WAY: Readonly<Record<string, readonly [weight: number, make: MakeOrder]>> = {
  '5xx before anything happened': [
    2,
    (random, batches) => ({
      fault: 'failBeforeCommit',
      how: random.pick([408, 500, 503] as const),
      count: passes(random),
      skip: lets(random, batches),
    }),
  ],
  'a connection that breaks before': [
    1,
    (random, batches) => ({ fault: 'failBeforeCommit', how: 'destroy', skip: lets(random, batches) }),
  ],
  'a reply that is dropped': [
    3,
    (random, batches) => ({
      fault: 'failAfterCommit',
      how: 'destroy',
      count: passes(random),
      skip: lets(random, batches),
    }),
  ],
  '5xx after it happened': [
    2,
    (random, batches) => ({ fault: 'failAfterCommit', how: 503, skip: lets(random, batches) }),
  ],
  '429': [
    2,
    (random, batches) => ({
      fault: 'rateLimit',
      style: random.pick(['retryAfter', 'rateLimitReset', 'none'] as const),
      seconds: 2,
      skip: lets(random, batches),
    }),
  ],
  'silence before anything happened': [
    4,
    (random, batches) => ({ fault: 'failBeforeCommit', count: 'always', skip: lets(random, batches) }),
  ],
  'silence after it happened': [
    5,
    (random, batches) => ({
      fault: 'failAfterCommit',
      how: random.pick([500, 'destroy'] as const),
      count: 'always',
      skip: lets(random, batches),
    }),
  ],
  'results out of order': [2, () => ({ fault: 'shuffleResults', count: 'always' })],
  'results that do not fit': [
    3,
    (random, batches) => ({
      fault: random.pick(['omitsAResult', 'repeatsAResult', 'addsAResult'] as const),
      count: passes(random),
      skip: lets(random, batches),
    }),
  ],
  'results that never fit': [2, () => ({ fault: 'omitsAResult', count: 'always' })],
  'items that cannot be read for a moment': [
    1,
    (random) => ({ fault: 'failBeforeCommit', on: 'items', count: passes(random) }),
  ],
  'items that cannot be read': [1.5, () => ({ fault: 'failBeforeCommit', on: 'items', count: 'always' })],
}

/** Of single operations. */
const OF_OPERATIONS: Readonly<
  Record<string, readonly [weight: number, make: (random: Random) => FaultOrderOfOne]>
> = {
  'an operation is rejected for good': [
    4,
    () => ({ fault: 'failOperation', code: 'not_allowed', retryable: false, count: 'always' }),
  ],
  'an operation is rejected for now': [
    3,
    () => ({ fault: 'failOperation', code: 'too_many', retryable: true, count: 1 }),
  ],
  'a batch is refused for one operation': [
    2,
    (random) => ({
      fault: 'refuseBatch',
      status: random.pick([400, 422] as const),
      error: 'bad',
      count: 'always',
    }),
  ],
  'a batch is refused once': [1, () => ({ fault: 'refuseBatch', status: 413, error: 'too_large', count: 1 })],
}

type FaultOrderOfOne =
  | Omit<Extract<FaultOrder, { fault: 'failOperation' }>, 'uniqueId' | 'content'>
  | Omit<Extract<FaultOrder, { fault: 'refuseBatch' }>, 'uniqueId' | 'content'>

for (const name of [...Object.keys(ON_THE_WAY), ...Object.keys(OF_OPERATIONS)])
  declare(`platform fault: ${name}`)

/** Draws how the platform is to misbehave while this is sent to it. */
export function drawPlatformFaults(
  due: readonly Due[],
  batchSize: number,
  random: Random,
  tally: Tally,
): readonly FaultOrder[] {
  const orders: FaultOrder[] = []
  const batches = Math.max(1, Math.ceil(due.length / batchSize))
  if (random.chance(0.3)) {
    const [name, make] = pick(ON_THE_WAY, random)
    tally.count(`platform fault: ${name}`)
    orders.push(make(random, batches))
  }
  // An answer that is lost or does not fit matters most where it would tell of a rejection.
  if (due.length > 0 && random.chance(orders.length > 0 ? 0.5 : 0.25)) {
    const removals = due.filter(({ action }) => action === 'remove')
    for (let left = 1 + random.below(2); left > 0; left -= 1) {
      const { content, uniqueId } = random.pick(removals.length > 0 && random.chance(0.4) ? removals : due)
      const [name, make] = pick(OF_OPERATIONS, random)
      tally.count(`platform fault: ${name}`)
      orders.push({ ...make(random), content, uniqueId } as FaultOrder)
    }
  }
  return orders
}

function pick<Made>(
  ways: Readonly<Record<string, readonly [weight: number, make: Made]>>,
  random: Random,
): readonly [name: string, make: Made] {
  const list = Object.entries(ways)
  let rest = random.next() * list.reduce((sum, [, [weight]]) => sum + weight, 0)
  for (const [name, [weight, make]] of list) {
    rest -= weight
    if (rest < 0) return [name, make]
  }
  throw new Error('no way was chosen')
}
