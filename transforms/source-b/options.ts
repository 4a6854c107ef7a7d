/** Options of Source B that SQL uses. Other options apply to requests, or to the reading of records. */
export interface OptionsB {
  /** Name or id of the registrant type of speakers. */
  readonly speakerRegistrantType: string
  readonly cancelledSpeakers: 'keep' | 'exclude'
  /** Keys of the source, for fields with a key that the specification leaves open. */
  readonly fields: Readonly<Record<string, string>>
}
