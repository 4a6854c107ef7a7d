import { z } from 'zod'

const counts = {
  /** How many requests it spoils, of those that it concerns. */
  count: z.union([z.int().min(1), z.literal('always')]).default(1),
  /** How many of them it lets pass first. */
  skip: z.int().min(0).default(0),
}
/** Which requests it concerns. */
const on = z.enum(['batches', 'items']).default('batches')
/**
 * What comes in place of an answer: a status, a connection that breaks, one that stays open and says nothing,
 * or the death of the platform, as `kill -9` would have it.
 */
const how = z.union([z.literal([408, 500, 502, 503, 504]), z.enum(['destroy', 'silence', 'crash'])])
/** The operation that it concerns. */
const which = { uniqueId: z.string(), content: z.enum(['agenda', 'speakers', 'attendees']).optional() }
const code = z.string().regex(/^[a-z0-9_]{1,64}$/)

/** Nothing of the request takes effect. */
const failBeforeCommit = z.strictObject({
  fault: z.literal('failBeforeCommit'),
  how: how.default(500),
  on,
  ...counts,
})

/** The batch takes effect, and the sender does not hear of it. A key that is repeated counts too. */
const failAfterCommit = z.strictObject({
  fault: z.literal('failAfterCommit'),
  how: how.default('destroy'),
  ...counts,
})

const rateLimit = z.strictObject({
  fault: z.literal('rateLimit'),
  style: z.enum(['retryAfter', 'retryAfterDate', 'rateLimitReset', 'none']).default('retryAfter'),
  seconds: z.int().min(0).default(1),
  on,
  ...counts,
})

const latency = z.strictObject({
  fault: z.literal('latency'),
  ms: z.int().min(0),
  on,
  ...counts,
})

const refuseBatch = z.strictObject({
  fault: z.literal('refuseBatch'),
  ...which,
  status: z.literal([400, 413, 422]).default(422),
  error: code.default('refused'),
  ...counts,
})

const failOperation = z.strictObject({
  fault: z.literal('failOperation'),
  ...which,
  code: code.default('rejected'),
  retryable: z.boolean().optional(),
  ...counts,
})

const shuffleResults = z.strictObject({ fault: z.literal('shuffleResults'), ...counts })

/** What no platform may do: a sender that does not notice one of these trusts too much. */
const broken = z.strictObject({
  fault: z.enum([
    'forgetsKeys',
    'losesOneOperation',
    'swapsTwoResults',
    'acknowledgesWithoutStoring',
    'ignoresFences',
    'omitsAResult',
    'repeatsAResult',
    'addsAResult',
  ]),
  ...counts,
  count: counts.count.default('always'),
})

/** One way to misbehave. */
export const faultSchema = z.discriminatedUnion('fault', [
  failBeforeCommit,
  failAfterCommit,
  rateLimit,
  latency,
  refuseBatch,
  failOperation,
  shuffleResults,
  broken,
])

export type Fault = Readonly<z.output<typeof faultSchema>>
/** As it is written to `POST /control/faults`. */
export type FaultOrder = z.input<typeof faultSchema>
export type FaultName = Fault['fault']
export type FaultNamed<Name extends FaultName> = Extract<Fault, { readonly fault: Name }>
