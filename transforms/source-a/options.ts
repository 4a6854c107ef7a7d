/** Describes what the configuration of Source A decides in SQL; reading decides the rest. */
export interface OptionsA {
  readonly speakers: 'listed' | 'role' | 'both'
  readonly sessionStatuses?: readonly string[] | undefined
  readonly includeHidden: boolean
  readonly includePending: boolean
  readonly oneToOneTypes: readonly string[]
  readonly locationSeparator: string
}
