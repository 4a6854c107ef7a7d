import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../sql/database.ts'
import { applyFile, migrationLedger, type SqlFile } from '../../sql/statements.ts'
import { packageRoot } from '../package-root.ts'

/**
 * Brings the schema up to date: each file of `sql/migrations/` once, in the order of the names, and each view of
 * `sql/views/` when its text is new. Safe to run twice, and by two processes at once.
 *
 * @throws where a migration that was applied has been changed since
 */
export async function migrate(database: Database): Promise<void> {
  await database.script(migrationLedger)
  for (const file of [...sqlFiles('migrations'), ...sqlFiles('views')]) await database.script(applyFile(file))
}

function sqlFiles(kind: SqlFile['kind']): readonly SqlFile[] {
  const folder = join(packageRoot, 'sql', kind)
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return { kind, name, text, sha256: createHash('sha256').update(text).digest('hex') }
  })
}
