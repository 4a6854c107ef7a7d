import type { Content } from './contract.ts'

/** A failure instead of an answer: a status, a broken connection, or a crash of the platform. */
export type Failure = 408 | 500 | 503 | 'destroy' | 'crash'

interface Counted {
  /** Number of requests that it affects: by default 1, or all for faults that no platform may have. */
  readonly count?: number | 'always'
  /** Number of requests that it lets pass first. */
  readonly skip?: number
}

/** The operation that it concerns. */
interface OfItem {
  readonly uniqueId: string
  readonly content?: Content
}

/** Faults that no platform may have. A sender must notice each of them. */
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

/** One way to misbehave; `on` is `batches` by default. */
export type FaultOrder = Counted &
  (
    | {
        /** The request takes no effect. */
        readonly fault: 'failBeforeCommit'
        readonly how?: Failure
        readonly on?: 'batches' | 'items'
      }
    | {
        /** The batch takes effect, but the sender gets no result. A repeated key counts too. */
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

/** The faults that are armed. */
export interface ArmedFaults {
  /** Replaces the armed faults. */
  arm(faults: readonly FaultOrder[]): void
  /**
   * Returns the first fault of these names that is due. A request answered by an earlier fault is not counted
   * for later ones.
   */
  take<Name extends FaultName>(
    names: readonly Name[],
    concerns?: (fault: FaultNamed<Name>) => boolean,
  ): FaultNamed<Name> | undefined
  /** Returns all faults of that name that are due. */
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
