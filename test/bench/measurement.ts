import type { Registrants } from './registrants.ts'

/** The folder, server and source with which a measurement is made. */
export interface Site {
  /** A new folder that no other measurement uses. */
  readonly folder: string
  /** A server on which databases can be created. */
  readonly postgresUrl: string
  /** The original registrants, served in pages. */
  readonly source: Registrants
}

/** The measured values of one command. */
export interface Measurement {
  /** The output table in which the values are shown. */
  readonly table: string
  /** Line of that table. */
  readonly what: string
  readonly registrants: number
  /** Values by name. A name contains the unit; a name without a unit is a count. */
  readonly values: Readonly<Record<string, number>>
}

/** A function that makes one round of measurements. */
export type Measure = (site: Site) => Promise<readonly Measurement[]>
