import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseManifest } from '../../../loaders/packs/csv-files/pack-format.ts'
import { type Link, linkOf, openChain } from '../../../loaders/verify/chain.ts'

const runOf = (at: number) => `01b0fda0-0000-7000-8000-${String(at).padStart(12, '0')}`

/** Makes a chain of packs of one integration, in which each pack follows the pack before. */
function makeChain(length: number, more: (at: number) => object = () => ({})): readonly Link[] {
  const links: Link[] = []
  for (let at = 0; at < length; at += 1) {
    const manifest = {
      integration: 'summit',
      run: runOf(at),
      planHash: null,
      format: 1,
      personalData: 'full',
      previousManifestSha256: links.at(-1)?.sha256 ?? null,
      files: [{ name: 'details.json', rows: 1, bytes: 1, sha256: 'ab'.repeat(32) }],
      ...more(at),
    }
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const folder = join('summit', manifest.run)
    const parsed = parseManifest(bytes)
    if (parsed === null) throw new Error('no manifest')
    links.push(linkOf(folder, sha256, parsed))
  }
  return links
}

/** Returns the findings at each pack of a chain. */
function findingsOf(links: readonly Link[]): readonly (readonly string[])[] {
  const chain = openChain(links)
  return links.map(({ folder, sha256 }) => chain.findingsOf(folder, sha256).map(({ message }) => message))
}

test('verify reports no findings in an unchanged chain of packs', () => {
  const links = makeChain(25)
  expect(findingsOf(links)).toEqual(links.map(() => []))
  expect(openChain(links).end('summit')).toBe(links.at(-1)?.sha256)
})

test.each([0, 12, 23])(
  'if pack %i of 25 is missing, verify reports this at each later pack and at no earlier pack',
  (at) => {
    const links = makeChain(25)
    const missed = expect.stringMatching(`^run ${runOf(at + 1)} follows a pack that is missing here`)
    const found = findingsOf(links.toSpliced(at, 1))
    expect(found).toEqual(found.map((_, place) => (place < at ? [] : [missed])))
  },
)

test('two packs that follow the same pack are reported, also if they name different manifests of it', () => {
  const earlier = 'ab'.repeat(32)
  const links = makeChain(3, (at) =>
    at === 0 ? { supersedes: earlier } : at === 2 ? { previousManifestSha256: earlier } : {},
  )
  const both = (one: number, other: number) => [
    `run ${runOf(one)} and run ${runOf(other)} both follow the same pack`,
  ]
  expect(findingsOf(links)).toEqual([[], both(1, 2), both(2, 1)])
})

test('a manifest that says that it replaces its own predecessor is reported as a loop', () => {
  const links = makeChain(2, (at) =>
    at === 1 ? { supersedes: 'f'.repeat(64), previousManifestSha256: 'f'.repeat(64) } : {},
  )
  expect(findingsOf(links)[1]).toEqual([`the chain of run ${runOf(1)} is a loop`])
})

const rival = (links: readonly Link[], at: number) => ({ previousManifestSha256: links[at]?.sha256 ?? null })
const gapOf = (...links: readonly Link[]) => ({
  gap: { packs: links.map(({ run, sha256 }) => ({ run, manifestSha256: sha256 })) },
})

test('two packs may follow the same pack if a later pack names one of these two packs in its gap', () => {
  const lost = makeChain(4)
  // The database was restored to its state before the last two runs, and new runs continue from there.
  const branch = (gap: object) => {
    const made = makeChain(6, (at) => (at === 4 ? { ...rival(lost, 1), ...gap } : {}))
    return [...lost, ...made.slice(4)]
  }
  expect(findingsOf(branch({})).flat()).toContainEqual(expect.stringContaining('both follow the same pack'))
  const noted = branch(gapOf(...lost.slice(2)))
  expect(findingsOf(noted)).toEqual(noted.map(() => []))
})

test('a pack that is named in a gap must exist', () => {
  const links = makeChain(4, (at) =>
    at === 3 ? { gap: { packs: [{ run: runOf(1), manifestSha256: 'f'.repeat(64) }] } } : {},
  )
  expect(findingsOf(links)).toEqual([
    [],
    [],
    [],
    [expect.stringMatching(/names a pack in its gap that is missing here/)],
  ])
})

test('if many packs say that they are the first pack, each finding names only a few of them', () => {
  const found = findingsOf(makeChain(300, () => ({ previousManifestSha256: null })))
  for (const [at, findings] of found.entries()) {
    expect(findings).toHaveLength(6)
    expect(findings.at(-1)).toBe(`run ${runOf(at)}: more packs say that they are the first`)
  }
})

test('each pack reports at most 21 faults of the packs before it, even if there are more', () => {
  const found = findingsOf(
    makeChain(100, (at) => ({
      ...(at % 2 === 0 ? {} : { gap: { packs: [{ run: runOf(0), manifestSha256: '0'.repeat(64) }] } }),
    })),
  )
  expect(Math.max(...found.map(({ length }) => length))).toBe(21)
})

const renamedFrom = (...ids: readonly string[]) => ({ renamed: ids.map((from) => ({ from })) })

test('after an integration was renamed, its packs follow those of its former id', () => {
  const named = ['spring', 'spring', 'summit', 'summit', 'autumn']
  const links = makeChain(5, (at) => ({
    integration: named[at],
    ...(at === 2 ? renamedFrom('spring') : {}),
    ...(at === 4 ? renamedFrom('summit', 'winter') : {}),
  }))
  expect(findingsOf(links)).toEqual(links.map(() => []))
  expect(openChain(links).end('autumn')).toBe(links.at(-1)?.sha256)
  expect(openChain(links).isSame('autumn', 'spring')).toBe(true)
  expect(openChain(links).isSame('autumn', 'other')).toBe(false)
})

test('a pack of another id is refused if the pack after it does not say that the integration was renamed from it', () => {
  const chainOf = (more: object) =>
    makeChain(3, (at) => ({ integration: at === 0 ? 'spring' : 'summit', ...(at === 1 ? more : {}) }))
  const unsaid = findingsOf(chainOf({}))
  expect(unsaid[0]).toContainEqual(expect.stringContaining('but belongs to another integration'))
  expect(unsaid[1]).toContainEqual(expect.stringContaining('follows a pack that is missing here'))
  // The first entry is the id of the previous pack.
  const other = findingsOf(chainOf(renamedFrom('winter', 'spring')))
  expect(other[1]).toContainEqual(expect.stringContaining('follows a pack that is missing here'))
})

test('a pack of a former id that says that it is the first pack is a second beginning of the chain', () => {
  const links = makeChain(3, (at) => ({
    integration: at === 2 ? 'summit' : 'spring',
    ...(at === 1 ? { previousManifestSha256: null } : {}),
    ...(at === 2 ? renamedFrom('spring') : {}),
  }))
  expect(findingsOf(links)[0]).toContainEqual(expect.stringContaining('both say that they are the first'))
})

test('thousands of renamings, also back to former ids, stay one chain', () => {
  const links = makeChain(3000, (at) => ({
    integration: `id-${at % 1500}`,
    ...(at === 0 ? {} : renamedFrom(`id-${(at - 1) % 1500}`)),
  }))
  expect(findingsOf(links)).toEqual(links.map(() => []))
})
