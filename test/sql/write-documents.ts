/**
 * Writes anew what is made from a migrated database: `sql/schema.sql`, and the sections of `sql/README.md` between
 * their marks.
 *
 * `npm run dictionary`
 */
import { writeFileSync } from 'node:fs'
import { onMigrated } from './migrated.ts'
import { dumpSchema } from './schema/dump.ts'

await onMigrated(async (database) => {
  writeFileSync('sql/schema.sql', await dumpSchema(database.kysely))
})
