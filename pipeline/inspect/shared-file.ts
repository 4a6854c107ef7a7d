import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder, type OutputMode, writeWhole } from '../../loaders/files/file-writer.ts'

/**
 * A partial file that is older than this belongs to a process that died, because no file takes so long to
 * write.
 */
const ABANDONED_MS = 3_600_000

/**
 * Writes a file that other processes may write at the same time. The file has the content of the process that
 * completed it last.
 */
export async function writeShared(path: string, text: string, mode: OutputMode): Promise<void> {
  const folder = dirname(path)
  await makeFolder(folder, mode)
  for (const name of await readdir(folder))
    if (name.startsWith(`${basename(path)}.`) && name.endsWith('.partial'))
      await dropAbandoned(join(folder, name))
  const partial = `${path}.${randomBytes(6).toString('hex')}.partial`
  await writeWhole(path, ({ write }) => write(text), { mode, partial })
}

/** Deletes the partial file of a process that died. Another process may already have deleted the file. */
async function dropAbandoned(partial: string): Promise<void> {
  const { mtimeMs } = await stat(partial).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
  if (Date.now() - mtimeMs > ABANDONED_MS) await rm(partial, { force: true })
}
