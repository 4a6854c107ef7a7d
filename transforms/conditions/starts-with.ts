import { sql } from 'kysely'
import { comparesTexts } from './condition.ts'

export const startsWith = comparesTexts(
  'startsWith',
  'The field begins with one of these.',
  (text, wanted) => sql`starts_with(${text}, ${wanted})`,
)
