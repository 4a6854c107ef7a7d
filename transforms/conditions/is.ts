import { sql } from 'kysely'
import { comparesTexts } from './condition.ts'

/** What a value by itself, or a list of values, asks for. */
export const is = comparesTexts(
  'is',
  'The field is one of these.',
  (text, wanted) => sql`${text} = ${wanted}`,
)
