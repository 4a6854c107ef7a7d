import { type RawBuilder, sql } from 'kysely'

export interface Missing {
  readonly form: 'missing'
  readonly isMissing: boolean
}

export const missing = {
  takes: 'flag',
  says: 'Whether the field has no value.',
  of: (isMissing: boolean): Missing => ({ form: 'missing', isMissing }),
  matches: (value: RawBuilder<unknown>, { isMissing }: Missing) =>
    isMissing ? sql<boolean>`(${value}) is null` : sql<boolean>`(${value}) is not null`,
} as const
