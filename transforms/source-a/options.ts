/**
 * The options of Source A that are used in SQL. All other options of the source affect requests or the
 * reading of records.
 */
export interface OptionsA {
  readonly speakers: 'listed' | 'role' | 'both'
  readonly sessionStatuses?: readonly string[] | undefined
  readonly includeHidden: boolean
  readonly includePending: boolean
  readonly oneToOneTypes: readonly string[]
  readonly locationSeparator: string
}
