import { columnsOf, places } from '../../people/places.ts'
import { code, markdownTable } from './markdown.ts'

/**
 * Makes the list of tables with data of people or runs. The list says for each table how a person is found,
 * what `forget` does, and with which class `purge` deletes rows.
 */
export function placesSection(): string {
  const rows = places.map((place) => {
    const { table, key, names, forget, purge } = place
    const found = [...(key === undefined ? [] : [key]), ...(names === undefined ? [] : [names])].map(code)
    const does = 'why' in forget ? [`kept: ${forget.why}`] : forget.map((step) => step.does)
    return [
      code(table),
      columnsOf(place).map(code).join(', ') || '–',
      found.join(', ') || '–',
      does.join('; '),
      typeof purge === 'string' ? purge : `kept: ${purge.why}`,
    ]
  })
  return markdownTable(['table', 'columns', 'found by', '`forget`', '`purge`'], rows)
}
