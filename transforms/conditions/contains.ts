import { sql } from 'kysely'
import { comparesTexts } from './condition.ts'

export const contains = comparesTexts(
  'contains',
  'One of these is in the field.',
  (text, wanted) => sql`strpos(${text}, ${wanted}) > 0`,
)
