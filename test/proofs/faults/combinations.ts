import { TOKEN } from '../../harness/source-server.ts'
import { resourcesOf, type SourceType } from './event.ts'
import type { Fault } from './fault.ts'
import type { Cast } from './fault-server.ts'
import { expectedAt, faults } from './table.ts'

/** A request is tried eight times, so it can stand this many passing faults, and the source's going away. */
const MOST_AT_ONCE = 5

const placesOf = (type: SourceType): readonly string[] => [...resourcesOf(type), TOKEN]

/** Plays faults one after the other at every place at which they have a meaning. */
export function everywhere(type: SourceType, together: readonly Fault[]): readonly Cast[] {
  return together.flatMap((fault) =>
    placesOf(type)
      .filter((place) => expectedAt(fault, type, place) === fault.expected)
      .map((place) => ({ fault, place, fromPage: place === TOKEN ? 1 : fault.fromPage })),
  )
}

/** Each place at which a fault must fail a run, alone. */
export function failuresOf(type: SourceType, fault: Fault): readonly Cast[] {
  return placesOf(type)
    .filter((place) => expectedAt(fault, type, place) === 'failed')
    .map((place) => ({ fault, place, fromPage: place === TOKEN ? 1 : fault.fromPage }))
}

/**
 * The faults of a source that do not fail a run, as few runs as can be: those that pass stand beside each other, one
 * that moves the source, or stays, has a run for itself.
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
