/** Describes what the configuration of Source B decides in SQL; reading decides the rest. */
export interface OptionsB {
  /** Name or id of the registrant type that makes a speaker. */
  readonly speakerRegistrantType: string
  readonly cancelledSpeakers: 'keep' | 'exclude'
  /** Keys of the source for fields that the specification leaves open. */
  readonly fields: Readonly<Record<string, string>>
}
