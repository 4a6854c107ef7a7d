/**
 * Writes the sections of `sql/README.md` between their marks again, from a migrated database.
 *
 * `npm run dictionary`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import { readDictionary } from '../../sql/dictionary.ts'
import { onMigrated } from './migrated.ts'
import { makePage } from './page/page.ts'

const page = join(packageRoot, 'sql', 'README.md')
await onMigrated(async ({ kysely }) => {
  writeFileSync(page, makePage(readFileSync(page, 'utf8'), await readDictionary(kysely)))
})
