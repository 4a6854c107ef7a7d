import type { Fields } from '../../sql/tables.ts'

/** A platform on this machine that has no items at its start. */
export interface StartedPlatform {
  /** `platform` of event-sync.yaml. */
  readonly platform: Readonly<Record<string, unknown>>
  /** Values of the environment variables to which the block `platform` refers. */
  readonly env?: Readonly<Record<string, string>>
  /** Returns the current items of the platform as its users see them, by `content uniqueId`. */
  items(): Promise<Readonly<Record<string, Fields>>>
  close(): Promise<void>
}

/** The example of a target, for which the contract tests run. */
export interface TargetExample {
  /**
   * @param folder empty folder for the state of the platform
   * @param packs folder of the integration's packs
   */
  start(folder: string, packs: string): Promise<StartedPlatform>
}
