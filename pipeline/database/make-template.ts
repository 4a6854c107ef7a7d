/**
 * Creates the template from which new embedded databases are copied. The template is created in the last step
 * of the build.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from './migrate.ts'
import { openPGlite } from './pglite.ts'
import { writeTemplate } from './pglite-template.ts'

const folder = mkdtempSync(join(tmpdir(), 'event-sync-template-'))
try {
  const directory = join(folder, 'db')
  const database = await openPGlite(directory)
  await migrate(database)
  await database.executeSql('checkpoint')
  await database.close()
  writeTemplate(directory)
} finally {
  rmSync(folder, { recursive: true })
}
