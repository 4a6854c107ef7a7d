/**
 * The options of Source B that are used in SQL. All other options of the source affect requests or the
 * reading of records.
 */
export interface OptionsB {
  /** Name or id of the registrant type that speakers have. */
  readonly speakerRegistrantType: string
  readonly cancelledSpeakers: 'keep' | 'exclude'
  /**
   * Keys that event-sync.yaml sets in `source.fields`, for values whose key the specification does not fix.
   */
  readonly fields: Readonly<Record<string, string>>
}
