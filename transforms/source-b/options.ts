/** Options of Source B that SQL uses. The other options apply when records are read. */
export interface OptionsB {
  /** Name or id of the registrant type of speakers. */
  readonly speakerRegistrantType: string
  readonly cancelledSpeakers: 'keep' | 'exclude'
  /** Keys of the source for fields whose key the specification leaves open. */
  readonly fields: Readonly<Record<string, string>>
}
