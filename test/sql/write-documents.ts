/**
 * Generates the sections of the documents that describe the database, from a database after all migrations,
 * and writes the documents.
 *
 * `npm run dictionary`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import { readDictionary } from '../../sql/dictionary.ts'
import { onMigrated } from './migrated.ts'
import { makePages, PAGES } from './page/page.ts'

const paths = PAGES.map((path) => join(packageRoot, path))
await onMigrated(async ({ kysely }) => {
  const pages = paths.map((path) => readFileSync(path, 'utf8'))
  const made = makePages(pages, await readDictionary(kysely))
  for (const [index, path] of paths.entries()) writeFileSync(path, made[index] ?? '')
})
