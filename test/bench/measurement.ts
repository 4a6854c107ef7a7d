import type { Registrants } from './registrants.ts'

/** The surroundings of a measurement. */
export interface Site {
  /** A new folder that nobody else uses. */
  readonly folder: string
  /** A server on which databases can be created. */
  readonly postgresUrl: string
  /** The original registrants, served in pages. */
  readonly source: Registrants
}

/** The measured values of one command. */
export interface Measurement {
  /** Table of the output to which it belongs. */
  readonly table: string
  /** Line of that table. */
  readonly what: string
  readonly registrants: number
  /** Values by name; a name contains the unit, or the value is a count. */
  readonly values: Readonly<Record<string, number>>
}

/** Takes one round of measurements. */
export type Measure = (site: Site) => Promise<readonly Measurement[]>
