import type { KeyObject } from 'node:crypto'
import { basename } from 'node:path'
import { expect } from 'vitest'
import { openChain } from '../../../loaders/verify/chain.ts'
import { readManifest, readPacks } from '../../../loaders/verify/found-manifest.ts'
import { verifyPack } from '../../../loaders/verify/verify-pack.ts'
import type { Checker } from './verify-py.ts'

/** A public key, and the file that has it. */
export interface AuditorsKey {
  readonly key: KeyObject
  readonly file: string
}

/** Returns the findings of `verify`, by the folder of the pack. */
async function findingsIn(folder: string, key: KeyObject | null) {
  const { folders, links } = await readPacks(folder, key)
  const chain = openChain(links)
  const found: Record<string, readonly string[]> = {}
  for (const path of folders) {
    const pack = readManifest(path, key)
    if (pack === null) continue
    const { findings } = await verifyPack(pack, chain, key)
    const integration = pack.manifest?.integration ?? basename(folder)
    const isElsewhere = integration === basename(folder) ? [] : [`manifest.json belongs to ${integration}`]
    found[basename(path)] = [...isElsewhere, ...findings.map(({ file, message }) => `${file} ${message}`)]
  }
  return found
}

/** Compares the verdict of both verifiers on each pack. @returns the findings of `verify` */
export async function compareBoth(
  python: Checker,
  folder: string,
  key: AuditorsKey | null,
): Promise<readonly string[]> {
  const found = await findingsIn(folder, key?.key ?? null)
  const other = await python.check(folder, key?.file ?? null)
  const verdicts = (of: typeof found) =>
    Object.fromEntries(Object.entries(of).map(([pack, { length }]) => [pack, length === 0]))
  expect(verdicts(other), JSON.stringify({ verify: found, 'verify.py': other })).toEqual(verdicts(found))
  return Object.values(found).flat()
}
