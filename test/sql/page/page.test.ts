import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/package-root.ts'
import { type Dictionary, readDictionary } from '../../../sql/dictionary.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import { makePage } from './page.ts'

const page = readFileSync(join(packageRoot, 'sql', 'README.md'), 'utf8')

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  let dictionary: Dictionary
  beforeAll(async () => {
    dictionary = await readDictionary(database().kysely)
  })

  test('sql/README.md says what the database says: `npm run dictionary` writes it anew', () => {
    expect(makePage(page, dictionary)).toBe(page)
  })

  test('every schema, table, view and function has its place, and every column its row', () => {
    for (const { name: schema, relations, functions } of dictionary.schemas) {
      expect(page).toContain(`### Schema \`${schema}\``)
      for (const { name } of relations) expect(page).toContain(`\n#### ${schema}.${name}\n`)
      for (const { name } of functions) expect(page).toContain(`| \`${schema}.${name}(`)
      for (const { name } of relations.flatMap(({ columns }) => columns)) {
        expect(page).toContain(`\n| \`${name}\` | `)
      }
    }
    expect(dictionary.schemas.map(({ name }) => name)).toEqual([
      'published',
      'staging',
      'sync',
      'incoming',
      'migration',
    ])
  })

  test('a comment that is changed makes the page stale', async () => {
    const other: Dictionary = JSON.parse(
      JSON.stringify(dictionary).replace('platform field startTime.', 'Other.'),
    )
    expect(makePage(page, other)).not.toBe(page)
  })

  test('a section that nothing makes, or that is missing, is told', () => {
    expect(() => makePage(`${page}\n<!-- made: more -->\n<!-- end -->`, dictionary)).toThrow(
      'nothing makes the section "more"',
    )
    expect(() => makePage(page.replace('<!-- made: dictionary -->', ''), dictionary)).toThrow(
      'the page has no place for dictionary',
    )
  })

  test('a diagram names columns that are there only', () => {
    const without: Dictionary = JSON.parse(JSON.stringify(dictionary).replaceAll('"room_id"', '"hall_id"'))
    expect(() => makePage(page, without)).toThrow('staging.a_sessions has no column room_id')
  })
})
