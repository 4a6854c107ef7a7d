import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Writes the files into a folder that is gone afterwards. */
export async function withFolder(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sample-source-'))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
