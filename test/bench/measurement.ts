import type { Registrants } from './registrants.ts'

/** Describes what a measurement works with. */
export interface Site {
  /** A new folder, which nobody else uses. */
  readonly folder: string
  /** A server on which databases can be made. */
  readonly postgresUrl: string
  /** Registrants in pages, as they were. */
  readonly source: Registrants
}

/** Describes what was measured of one command. */
export interface Measurement {
  /** The table that it is in. */
  readonly table: string
  /** Its line there. */
  readonly what: string
  readonly registrants: number
  /** Names say the unit, or are counts. */
  readonly values: Readonly<Record<string, number>>
}

/** Takes one round of measurements. */
export type Measure = (site: Site) => Promise<readonly Measurement[]>
