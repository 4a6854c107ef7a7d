import { type Draw, traps } from '../../harness/draw.ts'
import type { Random } from '../../harness/random.ts'
import type { FaultOrder } from '../../harness/sample-platform/faults.ts'
import type { Tally } from '../../harness/tally.ts'
import type { Content } from '../model/options.ts'

/** A change that is about to be sent. */
export interface Due {
  readonly content: Content
  readonly uniqueId: string
  readonly action: 'create' | 'update' | 'handover' | 'remove'
}

const passes = ({ random }: Draw) => 1 + random.below(2)

/** Draws a fault that begins after some batches. */
const later =
  (make: (draw: Draw) => FaultOrder) =>
  (draw: Draw, batches: number): FaultOrder => ({ ...make(draw), skip: draw.random.below(batches) })

/** Faults of the connection to the platform. Only one fault of the connection occurs at a time. */
const onTheWay = traps<FaultOrder, [batches: number]>('platform fault', {
  '5xx before anything happened': [
    2,
    later((draw) => {
      return { fault: 'failBeforeCommit', how: draw.random.pick([408, 500, 503]), count: passes(draw) }
    }),
  ],
  'a connection that breaks before': [1, later(() => ({ fault: 'failBeforeCommit', how: 'destroy' }))],
  'a reply that is dropped': [
    3,
    later((draw) => ({ fault: 'failAfterCommit', how: 'destroy', count: passes(draw) })),
  ],
  '5xx after it happened': [2, later(() => ({ fault: 'failAfterCommit', how: 503 }))],
  '429': [
    2,
    later(({ random }) => {
      return { fault: 'rateLimit', style: random.pick(['retryAfter', 'rateLimitReset', 'none']), seconds: 2 }
    }),
  ],
  'silence before anything happened': [4, later(() => ({ fault: 'failBeforeCommit', count: 'always' }))],
  'silence after it happened': [
    5,
    later(({ random }) => {
      return { fault: 'failAfterCommit', how: random.pick([500, 'destroy']), count: 'always' }
    }),
  ],
  'results out of order': [2, { fault: 'shuffleResults', count: 'always' }],
  'results that do not fit': [
    3,
    later((draw) => {
      const fault = draw.random.pick(['omitsAResult', 'repeatsAResult', 'addsAResult'] as const)
      return { fault, count: passes(draw) }
    }),
  ],
  'results that never fit': [2, { fault: 'omitsAResult', count: 'always' }],
  'items that cannot be read for a moment': [
    1,
    (draw) => ({ fault: 'failBeforeCommit', on: 'items', count: passes(draw) }),
  ],
  'items that cannot be read': [1.5, { fault: 'failBeforeCommit', on: 'items', count: 'always' }],
})

type Item = Pick<Due, 'content' | 'uniqueId'>

const ofOperation = traps<FaultOrder, [item: Item]>('platform fault', {
  'an operation is rejected for good': [
    4,
    (_, item) => ({
      ...item,
      fault: 'failOperation',
      code: 'not_allowed',
      retryable: false,
      count: 'always',
    }),
  ],
  'an operation is rejected for now': [
    3,
    (_, item) => ({ ...item, fault: 'failOperation', code: 'too_many', retryable: true }),
  ],
  'a batch is refused for one operation': [
    2,
    ({ random }, item) => {
      return { ...item, fault: 'refuseBatch', status: random.pick([400, 422]), error: 'bad', count: 'always' }
    },
  ],
  'a batch is refused once': [
    1,
    (_, item) => ({ ...item, fault: 'refuseBatch', status: 413, error: 'too_large' }),
  ],
})

/**
 * Draws the faults that the platform has while the product sends these changes.
 *
 * @param share how often a fault of the connection occurs, from 0 to 1
 */
export function drawPlatformFaults(
  due: readonly Due[],
  batchSize: number,
  random: Random,
  tally: Tally,
  share: number,
): readonly FaultOrder[] {
  const draw = { random, tally }
  const batches = Math.max(1, Math.ceil(due.length / batchSize))
  const orders = random.chance(share) ? [onTheWay(draw, batches)] : []
  // Rejections are drawn more often together with a lost or wrong answer, since a lost rejection has the
  // worst effect.
  if (due.length > 0 && random.chance(orders.length > 0 ? 0.5 : 0.25)) {
    const removals = due.filter(({ action }) => action === 'remove')
    for (let left = 1 + random.below(2); left > 0; left -= 1) {
      const { content, uniqueId } = random.pick(removals.length > 0 && random.chance(0.4) ? removals : due)
      orders.push(ofOperation(draw, { content, uniqueId }))
    }
  }
  return orders
}
