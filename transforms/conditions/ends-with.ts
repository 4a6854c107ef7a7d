import { sql } from 'kysely'
import { comparesTexts } from './condition.ts'

export const endsWith = comparesTexts(
  'endsWith',
  'The field ends with one of these.',
  (text, wanted) => sql`right(${text}, char_length(${wanted})) = ${wanted}`,
)
