/** Options of Source A that SQL uses. The other options apply when records are read. */
export interface OptionsA {
  readonly speakers: 'listed' | 'role' | 'both'
  readonly sessionStatuses?: readonly string[] | undefined
  readonly includeHidden: boolean
  readonly includePending: boolean
  readonly oneToOneTypes: readonly string[]
  readonly locationSeparator: string
}
