import { execFileSync } from 'node:child_process'
import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readPacks } from '../../loaders/audit/verify/found-manifest.ts'
import { verifyPack } from '../../loaders/audit/verify/verify-pack.ts'

/** What `verify` and `sha256sum -c` find in the packs of a folder. */
export async function readPacksIn(folder: string, publicKey: KeyObject | null): Promise<readonly string[]> {
  const found: string[] = []
  const { packs, noPacks } = await readPacks(folder)
  found.push(...noPacks)
  for (const pack of packs) {
    const findings = await verifyPack(pack, packs, publicKey)
    found.push(...findings.map(({ file, message }) => `${file} ${message}`))
    if (existsSync(join(pack.folder, 'SHA256SUMS')))
      execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: pack.folder })
  }
  return found
}
