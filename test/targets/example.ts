import type { Fields } from '../../sql/tables.ts'

/** A platform on this machine, empty at first. */
export interface StartedPlatform {
  /** `platform` of event-sync.yaml. */
  readonly platform: Readonly<Record<string, unknown>>
  /** Values of the environment variables that it names. */
  readonly env?: Readonly<Record<string, string>>
  /** Returns its current items, by `content uniqueId`, as its users see them. */
  items(): Promise<Readonly<Record<string, Fields>>>
  close(): Promise<void>
}

/** A platform, on which the contract tests of targets run. */
export interface TargetExample {
  /**
   * @param folder empty folder for the state of the platform
   * @param packs folder of the integration's packs
   */
  start(folder: string, packs: string): Promise<StartedPlatform>
}
