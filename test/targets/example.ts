import type { Fields } from '../../sql/tables.ts'

/** A platform on this machine, empty at first. */
export interface StartedPlatform {
  /** `platform` of event-sync.yaml. */
  readonly platform: Readonly<Record<string, unknown>>
  /** Values of the variables that it names. */
  readonly env?: Readonly<Record<string, string>>
  /** Returns what it has now, by `content uniqueId`, as a person who uses the event finds it. */
  items(): Promise<Readonly<Record<string, Fields>>>
  close(): Promise<void>
}

/** Describes what the contract of targets is tried with. */
export interface TargetExample {
  /**
   * @param folder empty, for what the platform keeps
   * @param packs folder of the integration's packs
   */
  start(folder: string, packs: string): Promise<StartedPlatform>
}
