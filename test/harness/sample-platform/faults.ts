import type { Content } from './contract.ts'

/** A failure instead of an answer: a status, a broken connection, or a crash of the platform. */
export type Failure = 408 | 500 | 503 | 'destroy' | 'crash'

interface Counted {
  /**
   * Number of requests that the fault affects. The default is one request; faults that no platform may have
   * affect all requests by default.
   */
  readonly count?: number | 'always'
  /** Number of requests that succeed before the fault begins. */
  readonly skip?: number
}

/** The item whose operations the fault affects. */
interface OfItem {
  readonly uniqueId: string
  readonly content?: Content
}

/** Faults that no platform may have. The product must notice each fault that no platform may have. */
const BROKEN = [
  'forgetsKeys',
  'losesOneOperation',
  'swapsTwoResults',
  'acknowledgesWithoutStoring',
  'ignoresFences',
  'omitsAResult',
  'repeatsAResult',
  'addsAResult',
] as const

/** A fault that a test orders from the platform; the default of `on` is `batches`. */
export type FaultOrder = Counted &
  (
    | {
        /** The platform fails before it stores the effects of a batch. */
        readonly fault: 'failBeforeCommit'
        readonly how?: Failure
        readonly on?: 'batches' | 'items'
      }
    | {
        /**
         * The platform stores the effects of the batch, but the sender gets no result. A batch that is sent
         * again under the same idempotency key counts as a request too.
         */
        readonly fault: 'failAfterCommit'
        readonly how?: Failure
      }
    | {
        readonly fault: 'rateLimit'
        readonly style?: 'retryAfter' | 'retryAfterDate' | 'rateLimitReset' | 'none'
        readonly seconds?: number
      }
    | { readonly fault: 'latency'; readonly ms: number }
    | (OfItem & {
        readonly fault: 'refuseBatch'
        readonly status?: 400 | 413 | 422
        readonly error?: string
      })
    | (OfItem & { readonly fault: 'failOperation'; readonly code?: string; readonly retryable?: boolean })
    | { readonly fault: 'shuffleResults' | (typeof BROKEN)[number] }
  )
type FaultName = FaultOrder['fault']
type FaultNamed<Name extends FaultName> = Extract<FaultOrder, { readonly fault: Name }>

/** The faults that a test has ordered and that are not used up. */
export interface ArmedFaults {
  /** Replaces the armed faults. */
  arm(faults: readonly FaultOrder[]): void
  /**
   * Returns the first fault with one of these names that applies to this request. Faults after the returned
   * fault do not count the request.
   */
  take<Name extends FaultName>(
    names: readonly Name[],
    concerns?: (fault: FaultNamed<Name>) => boolean,
  ): FaultNamed<Name> | undefined
  /** Returns all faults with this name that apply to this request. */
  takeAll<Name extends FaultName>(
    name: Name,
    concerns: (fault: FaultNamed<Name>) => boolean,
  ): readonly FaultNamed<Name>[]
}

export function makeArmedFaults(): ArmedFaults {
  let armed: { readonly fault: FaultOrder; skip: number; left: number }[] = []

  function* turns<Name extends FaultName>(
    names: readonly Name[],
    concerns: (fault: FaultNamed<Name>) => boolean,
  ): Generator<FaultNamed<Name>> {
    for (const one of armed) {
      const { fault } = one
      if (one.left === 0 || !isNamed(fault, names) || !concerns(fault)) continue
      if (one.skip > 0) {
        one.skip -= 1
        continue
      }
      one.left -= 1
      yield fault
    }
  }

  return {
    arm(faults) {
      armed = faults.map((fault) => {
        const { skip = 0, count = BROKEN.some((name) => name === fault.fault) ? 'always' : 1 } = fault
        return { fault, skip, left: count === 'always' ? Number.POSITIVE_INFINITY : count }
      })
    },
    take: (names, concerns = () => true) => turns(names, concerns).next().value ?? undefined,
    takeAll: (name, concerns) => [...turns([name], concerns)],
  }
}

function isNamed<Name extends FaultName>(
  fault: FaultOrder,
  names: readonly Name[],
): fault is FaultNamed<Name> {
  return names.some((name) => name === fault.fault)
}
