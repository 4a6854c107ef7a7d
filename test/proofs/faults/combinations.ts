import { TOKEN } from '../../harness/source-server.ts'
import { resourcesOf, type SourceType } from './event.ts'
import type { Fault } from './fault.ts'
import type { Cast } from './fault-server.ts'
import { expectedAt, faults } from './table.ts'

/**
 * Maximum number of temporary faults in one run. A request is tried eight times, so it survives this number
 * of faults and an outage of the source.
 */
const MOST_AT_ONCE = 5

const placesOf = (type: SourceType): readonly string[] => [...resourcesOf(type), TOKEN]

/** Lists every place (a resource or the token endpoint) at which each of these faults is possible. */
export function everywhere(type: SourceType, together: readonly Fault[]): readonly Cast[] {
  return together.flatMap((fault) =>
    placesOf(type)
      .filter((place) => expectedAt(fault, type, place) === fault.expected)
      .map((place) => ({ fault, place, fromPage: place === TOKEN ? 1 : fault.fromPage })),
  )
}

/** Returns each place at which the fault must make a run fail; each place is tested in a run of its own. */
export function failuresOf(type: SourceType, fault: Fault): readonly Cast[] {
  return placesOf(type)
    .filter((place) => expectedAt(fault, type, place) === 'failed')
    .map((place) => ({ fault, place, fromPage: place === TOKEN ? 1 : fault.fromPage }))
}

/**
 * Groups the faults that do not make a run fail into as few runs as possible. Several temporary faults share
 * a run. A fault that lasts, or that changes the order of the source's records, has a run of its own.
 */
export function faultCombinationsOf(type: SourceType): readonly (readonly Fault[])[] {
  const mine = faults.filter(
    (fault) =>
      fault.sources.includes(type) && !fault.isOfToken && !fault.standsAlone && fault.expected !== 'failed',
  )
  const standsBeside = (fault: Fault) =>
    fault.plays === 'once' &&
    fault.expected === 'recovered' &&
    fault.fromPage === 1 &&
    fault.http.timeoutSeconds === undefined
  const passing = mine.filter(standsBeside)
  const combinations = Array.from({ length: Math.ceil(passing.length / MOST_AT_ONCE) }, (_, index) =>
    passing.slice(index * MOST_AT_ONCE, (index + 1) * MOST_AT_ONCE),
  )
  return [...combinations, ...mine.filter((fault) => !standsBeside(fault)).map((fault) => [fault])]
}
