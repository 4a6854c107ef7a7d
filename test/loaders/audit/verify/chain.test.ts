import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkChain } from '../../../../loaders/audit/verify/chain.ts'
import type { FoundManifest } from '../../../../loaders/audit/verify/found-manifest.ts'
import { parseManifest } from '../../../../loaders/audit/verify/manifest.ts'

const PACKS = 25

/** Packs of one integration, each of which follows the one before. */
function makeChain(): readonly FoundManifest[] {
  const packs: FoundManifest[] = []
  for (let at = 0; at < PACKS; at += 1) {
    const run = `01b0fda0-0000-7000-8000-${String(at).padStart(12, '0')}`
    const manifest = {
      integration: 'summit',
      run,
      planHash: null,
      personalData: 'full',
      counts: null,
      certificates: [],
      requests: [],
      previousManifestSha256: packs.at(-1)?.sha256 ?? null,
      files: [],
    }
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    packs.push({ folder: join('summit', run), bytes, sha256, manifest: parseManifest(bytes) })
  }
  return packs
}

test('a whole chain is whole', () => {
  const packs = makeChain()
  expect(packs.every(({ manifest }) => manifest !== null)).toBe(true)
  for (const pack of packs) expect(checkChain(pack, packs)).toEqual([])
})

test.each(Array.from({ length: PACKS - 1 }, (_, at) => at))(
  'pack %i of 25 is missed by all after it',
  (at) => {
    const packs = makeChain()
    const left = packs.toSpliced(at, 1)
    for (const pack of packs.slice(at + 1))
      expect(checkChain(pack, left).map(({ message }) => message)).toContainEqual(
        expect.stringMatching(`^run ${packs[at + 1]?.manifest?.run} follows a pack that is not beside it`),
      )
    for (const pack of packs.slice(0, at)) expect(checkChain(pack, left)).toEqual([])
  },
)
