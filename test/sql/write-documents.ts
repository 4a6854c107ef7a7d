/**
 * Writes again what is made from a migrated database: `schema/schema.sql`, and the sections of `sql/README.md` between
 * their marks.
 *
 * `npm run dictionary`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import { readDictionary } from '../../sql/dictionary.ts'
import { onMigrated } from './migrated.ts'
import { makePage } from './page/page.ts'
import { dumpSchema } from './schema/dump.ts'

const page = join(packageRoot, 'sql', 'README.md')
await onMigrated(async ({ kysely }) => {
  writeFileSync(new URL('schema/schema.sql', import.meta.url), await dumpSchema(kysely))
  writeFileSync(page, makePage(readFileSync(page, 'utf8'), await readDictionary(kysely)))
})
