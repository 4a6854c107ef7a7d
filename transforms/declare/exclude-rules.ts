import type { Content } from '../../sql/tables.ts'

export type Condition =
  | { readonly form: 'is' | 'contains' | 'startsWith' | 'endsWith'; readonly values: readonly string[] }
  | { readonly form: 'missing'; readonly isMissing: boolean }

export interface ExcludeRule {
  readonly name: string
  readonly contents: readonly Content[]
  /** Whether it excludes what does not match in all fields, rather than what does. */
  readonly isUnless: boolean
  readonly fields: Readonly<Record<string, Condition>>
}
