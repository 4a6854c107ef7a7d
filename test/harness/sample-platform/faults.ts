import type { Content } from './contract.ts'

/** Describes what comes in place of an answer: a status, a connection that breaks, or the end of the platform. */
export type Failure = 408 | 500 | 503 | 'destroy' | 'crash'

interface Counted {
  /** How many requests it spoils, of those that it concerns: 1, and of what no platform may do all. */
  readonly count?: number | 'always'
  /** How many of them it lets pass first. */
  readonly skip?: number
}

/** The operation that it concerns. */
interface OfItem {
  readonly uniqueId: string
  readonly content?: Content
}

/** Faults that no platform may have: a sender that does not notice one of these trusts too much. */
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

/** One way to misbehave; `on` is `batches` where it is left out. */
export type FaultOrder = Counted &
  (
    | {
        /** The request takes no effect. */
        readonly fault: 'failBeforeCommit'
        readonly how?: Failure
        readonly on?: 'batches' | 'items'
      }
    | {
        /** The batch takes effect, and the sender does not hear of it. A key that is repeated counts too. */
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

/** The faults that are still to come. */
export interface ArmedFaults {
  /** Takes these in place of those before. */
  arm(faults: readonly FaultOrder[]): void
  /** The first of these names whose turn it is with this request; one that a fault before it has ended is not counted. */
  take<Name extends FaultName>(
    names: readonly Name[],
    concerns?: (fault: FaultNamed<Name>) => boolean,
  ): FaultNamed<Name> | undefined
  /** All of that name whose turn it is. */
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
