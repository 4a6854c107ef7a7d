import type { KeyObject } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import type { Finding } from '../../../loaders/packs/csv-files/pack-format.ts'
import { openChain } from '../../../loaders/verify/chain.ts'
import { verifyEvidence } from '../../../loaders/verify/evidence.ts'
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
  const { folders, links, renamings } = await readPacks(folder, key)
  const chain = openChain(links, renamings)
  const found: Record<string, readonly string[]> = {}
  for (const path of folders) {
    const pack = readManifest(path, key)
    if (pack === null) continue
    const { findings } = await verifyPack(pack, chain, key)
    const integration = pack.manifest?.integration ?? basename(folder)
    const isElsewhere = chain.isSame(integration, basename(folder))
      ? []
      : [`manifest.json belongs to ${integration}`]
    found[basename(path)] = [...isElsewhere, ...findings.map(({ file, message }) => `${file} ${message}`)]
  }
  return found
}

/** Returns the findings of `verify` in a folder of packs, or in a folder of such folders, one for each integration. */
async function findingsInPacks(folder: string, key: KeyObject | null) {
  const found = await findingsIn(folder, key)
  if (Object.keys(found).length > 0) return found
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of below) Object.assign(found, await findingsIn(join(folder, name), key))
  return found
}

/** Returns the findings of `verify` in an evidence folder: its own, and those of each pack. */
async function findingsInEvidence(folder: string, key: KeyObject | null) {
  const verified = await verifyEvidence(folder, key)
  if (verified === null) return null
  const textsOf = (findings: readonly Finding[]) => findings.map(({ file, message }) => `${file} ${message}`)
  const packs = verified.packs.map((pack) => [basename(pack.folder), textsOf(pack.findings)])
  const found: Record<string, readonly string[]> = Object.fromEntries(packs)
  return { evidence: textsOf(verified.findings), ...found }
}

/** Compares the verdict of both verifiers on evidence, or on each pack. @returns the findings or the refusal of `verify` */
export async function compareBoth(
  python: Checker,
  folder: string,
  key: AuditorsKey | null,
): Promise<readonly string[]> {
  const publicKey = key?.key ?? null
  const found = (await findingsInEvidence(folder, publicKey)) ?? (await findingsInPacks(folder, publicKey))
  const other = await python.check(folder, key?.file ?? null)
  const verdicts = (of: Readonly<Record<string, readonly string[]>>) =>
    Object.fromEntries(Object.entries(of).map(([pack, { length }]) => [pack, length === 0]))
  expect(verdicts(other), JSON.stringify({ verify: found, 'verify.py': other })).toEqual(verdicts(found))
  // Both commands refuse a folder that is neither a pack nor evidence, and has no packs.
  if (Object.keys(found).length === 0) return ['no packs']
  return Object.values(found).flat()
}
