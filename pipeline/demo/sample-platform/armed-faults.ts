import type { Fault, FaultName, FaultNamed } from './faults.ts'

/** The faults that are still to come. */
export interface ArmedFaults {
  /** With the counts that are left. */
  list(): readonly Fault[]
  /** Takes these in place of those before. */
  arm(faults: readonly Fault[]): void
  /**
   * The first of that name, in the order in which they were armed, whose turn it is with this request.
   *
   * A fault counts the requests that come to it: one that a fault before it has ended is not counted.
   */
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

interface Armed {
  readonly fault: Fault
  skip: number
  count: number | 'always'
}

export function makeArmedFaults(): ArmedFaults {
  let all: readonly Armed[] = []

  function* turns<Name extends FaultName>(
    names: readonly Name[],
    concerns: (fault: FaultNamed<Name>) => boolean,
  ): Generator<FaultNamed<Name>> {
    for (const armed of all) {
      if (armed.count === 0 || !isNamed(armed.fault, names) || !concerns(armed.fault)) continue
      if (armed.skip > 0) {
        armed.skip -= 1
        continue
      }
      if (armed.count !== 'always') armed.count -= 1
      yield armed.fault
    }
  }

  return {
    list: () =>
      all.flatMap(({ fault, skip, count }) => (count === 0 ? [] : [{ ...fault, skip, count } as Fault])),
    arm(faults) {
      all = faults.map((fault) => ({ fault, skip: fault.skip, count: fault.count }))
    },
    take(names, concerns = () => true) {
      for (const fault of turns(names, concerns)) return fault
      return undefined
    },
    takeAll: (name, concerns) => [...turns([name], concerns)],
  }
}

function isNamed<Name extends FaultName>(fault: Fault, names: readonly Name[]): fault is FaultNamed<Name> {
  return names.some((name) => name === fault.fault)
}
