import { execFileSync } from 'node:child_process'
import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openChain } from '../../loaders/verify/chain.ts'
import { readManifest, readPacks } from '../../loaders/verify/found-manifest.ts'
import { verifyPack } from '../../loaders/verify/verify-pack.ts'

/** Checks the packs of a folder with `verify` and `sha256sum -c`, and returns all findings. */
export async function readPacksIn(folder: string, publicKey: KeyObject | null): Promise<readonly string[]> {
  const found: string[] = []
  const { folders, links, noPacks } = await readPacks(folder, publicKey)
  const chain = openChain(links)
  found.push(...noPacks)
  for (const path of folders) {
    const pack = readManifest(path, publicKey)
    if (pack === null) continue
    const { findings } = await verifyPack(pack, chain, publicKey)
    found.push(...findings.map(({ file, message }) => `${file} ${message}`))
    if (existsSync(join(pack.folder, 'SHA256SUMS')))
      execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: pack.folder })
  }
  return found
}
