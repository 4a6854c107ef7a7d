import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { type Dictionary, readDictionary } from '../../../sql/dictionary.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import { makePages, PAGES } from './page.ts'

const pages = PAGES.map((path) => readFileSync(join(packageRoot, path), 'utf8'))

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  let dictionary: Dictionary
  beforeAll(async () => {
    dictionary = await readDictionary(database().kysely)
  })

  test('the generated sections of the documents match the database; `npm run dictionary` updates the sections', () => {
    expect(makePages(pages, dictionary)).toEqual(pages)
  })

  test('if a diagram names a column that does not exist, an error is thrown', () => {
    const without: Dictionary = JSON.parse(JSON.stringify(dictionary).replaceAll('"room_id"', '"hall_id"'))
    expect(() => makePages(pages, without)).toThrow('staging.a_sessions has no column room_id')
  })
})
