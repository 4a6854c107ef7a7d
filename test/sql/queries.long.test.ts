import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import { engines } from '../support/engines.ts'
import { useOneFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { ANSWERS } from './answers.ts'
import { limitedTo } from './one-integration.ts'
import { syncTwoEvents } from './two-events.ts'

const FOLDER = join(packageRoot, 'sql', 'queries')
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))
const textOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8')

test('README.md lists each query of sql/queries with its question, and no query that does not exist', () => {
  const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8')
  const listed = [...readme.matchAll(/^\| (.+\?) \| \[(.+?)\]\((.+?)\) \|/gm)].map(([, question, , file]) => [
    file,
    question,
  ])
  const asked = files.map((file) => [file, textOf(file).split('\n')[0]?.replace('-- ', '')])
  expect(listed.toSorted()).toEqual(asked.toSorted())
})

test('for every query of sql/queries there is an expected answer', () => {
  expect(Object.keys(ANSWERS).toSorted()).toEqual(files.map((file) => file.replace('.sql', '')))
})

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useOneFolder()
  let runs: ReadonlyMap<string, string> = new Map()
  beforeAll(async () => {
    runs = await syncTwoEvents(database(), output)
  })

  test.each(Object.entries(ANSWERS))('%s', async (name, { columns, rows }) => {
    const found: string[] = []
    for await (const page of database().readOnly(textOf(`${name}.sql`))) {
      const places = columns.split(' ').map((column) => page.columns.indexOf(column))
      expect(page.columns[0]).toBe('integration_id')
      expect(places, page.columns.join(' ')).not.toContain(-1)
      found.push(...page.rows.map((row) => places.map((place) => told(row[place] ?? null)).join(' | ')))
    }
    expect(found).toEqual(rows)
  })

  test.each(files)(
    '%s, limited to one integration as its comment says, has the rows of this integration',
    async (file) => {
      const rowsOf = async (query: string) => {
        const found: (readonly (string | null)[])[] = []
        for await (const { rows } of database().readOnly(query)) found.push(...rows)
        return found
      }
      const all = await rowsOf(textOf(file))
      const { rows: ids } = await database().executeSql('select integration_id as id from sync.integrations')
      for (const { id } of ids as readonly { readonly id: string }[])
        expect(await rowsOf(limitedTo(textOf(file), id)), id).toEqual(all.filter(([first]) => first === id))
    },
  )

  /**
   * Formats a value as in the expected answers: names instead of run ids, and times without seconds if these
   * are zero.
   */
  function told(value: string | null): string {
    if (value === null) return '-'
    return runs.get(value) ?? value.replace(/:00(\+00)?$/, '$1').replace(/\+00$/, 'Z')
  }
})
