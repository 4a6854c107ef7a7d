/** Options of Source A that SQL uses. Other options apply to requests, or to the reading of records. */
export interface OptionsA {
  readonly speakers: 'listed' | 'role' | 'both'
  readonly sessionStatuses?: readonly string[] | undefined
  readonly includeHidden: boolean
  readonly includePending: boolean
  readonly oneToOneTypes: readonly string[]
  readonly locationSeparator: string
}
