import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { BYTES, forge, MOVES, pick, VALUES } from './forgers.ts'
import { packsAt } from './tamper.ts'

/** An evidence folder that a forger changes. */
interface Forged {
  readonly folder: string
  /** Folder with all packs of the integration, also those outside the period. */
  readonly packs: string
}

/** The parts of an index that a forger changes. */
interface IndexText {
  integration: string
  packs: Record<string, unknown>[]
  files: { name: string; rows?: number; bytes: number; sha256: string }[]
  [key: string]: unknown
}

type Move = (forged: Forged, a: number, b: number) => void

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const isPlain = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Changes the index, and rewrites what it says about files and packs, as the writer would for these files. */
function fit({ folder }: Forged, change: (index: IndexText) => void = () => undefined): void {
  const path = join(folder, 'evidence.json')
  const index = readJson<IndexText>(path)
  if (index === null) return
  change(index)
  for (const file of Array.isArray(index.files) ? index.files : []) {
    const of = join(folder, String(file.name))
    if (!isPlain(of) || lstatSync(of).size > 1e7) continue
    const bytes = readFileSync(of)
    Object.assign(file, { bytes: bytes.length, sha256: sha256(bytes) })
    if (file.rows !== undefined) file.rows = bytes.toString().split('\r\n').length - 2
  }
  for (const pack of Array.isArray(index.packs) ? index.packs : []) {
    const of = join(folder, index.integration, String(pack.run), 'manifest.json')
    const manifest = readJson<Record<string, unknown>>(of)
    if (manifest === null) continue
    const { appliedAt = null, planHash, configHash, startedBy } = manifest
    const manifestSha256 = sha256(readFileSync(of))
    Object.assign(pack, { manifestSha256, landedAt: appliedAt, planHash, configHash, startedBy })
  }
  writeFileSync(path, `${JSON.stringify(index, null, 2)}\n`)
}

function readJson<Value>(path: string): Value | null {
  try {
    const value: unknown = isPlain(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
    return typeof value === 'object' ? (value as Value) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function change({ folder }: Forged, name: string, of: (bytes: Buffer) => Buffer | string): void {
  const path = join(folder, name)
  if (isPlain(path) && lstatSync(path).size < 1e7) writeFileSync(path, of(readFileSync(path)))
}

/** Names the pack of a file as an anchor, or its absence. */
function anchorAt({ folder }: Forged, name: 'before' | 'after') {
  const path = join(folder, 'anchors', name, 'manifest.json')
  const manifest = readJson<{ run: string; finishedAt: string }>(path)
  if (manifest === null) return null
  return { run: manifest.run, manifestSha256: sha256(readFileSync(path)), finishedAt: manifest.finishedAt }
}

const rowsOf = (bytes: Buffer) => bytes.toString().split('\r\n')
const JOINED = ['changes.csv', 'certificates.csv', 'actions.csv']
const LISTED = [...JOINED, 'README.txt', 'RULES.md', 'verify.py']
const withoutFile = (index: IndexText, ...names: readonly string[]) => {
  index.files = index.files.filter(({ name }) => !names.includes(name))
}

export const EVIDENCE_MOVES: Readonly<Record<string, Move>> = {
  'a byte of a file is another': (forged, a, b) =>
    change(forged, pick(filesIn(forged.folder), a), (bytes) => {
      const at = (a * 1009 + b * 7919) % Math.max(1, bytes.length)
      return Buffer.concat([bytes.subarray(0, at), pick(BYTES, b), bytes.subarray(at + (a % 2))])
    }),
  'a byte of a listed file is another, and the index fits': (forged, a, b) => {
    const listed = filesIn(forged.folder).filter((name) => !/^(?:summit|evidence)/.test(name))
    change(forged, pick(listed, a), (bytes) => {
      const at = (a * 1009 + b * 7919) % Math.max(1, bytes.length)
      return Buffer.concat([bytes.subarray(0, at), pick(BYTES, b), bytes.subarray(at + (a % 2))])
    })
    fit(forged)
  },
  'a file is gone': ({ folder }, a) => rmSync(join(folder, pick(filesIn(folder), a))),
  'the index is gone': ({ folder }, a, b) => {
    const marks = filesIn(folder).filter(
      (name) => JOINED.includes(name) || /^(anchors|configurations)\//.test(name),
    )
    // Without any mark of evidence, the folder is like any folder of packs, so the forger leaves one.
    if (marks.length === 0) return
    for (const name of ['evidence.json', 'evidence.sig']) rmSync(join(folder, name), { force: true })
    const last = readdirSync(join(folder, 'summit')).at(-1)
    if (a % 2 === 1 && last !== undefined) rmSync(join(folder, 'summit', last), { recursive: true })
    const left = pick(marks, b)
    for (const name of [...LISTED, 'anchors', 'configurations'])
      if (!left.startsWith(name)) rmSync(join(folder, name), { recursive: true, force: true })
  },
  'a file is gone, and nobody names it': (forged, a) => {
    const name = pick(filesIn(forged.folder), a)
    if (name === 'evidence.json') return
    rmSync(join(forged.folder, name))
    fit(forged, (index) => withoutFile(index, name))
  },
  'a file or folder more': ({ folder }, a, b) => {
    const at = join(folder, pick(['', 'summit', 'anchors', 'anchors/before', 'configurations', 'other'], a))
    mkdirSync(at, { recursive: true })
    if (b % 2 === 0) writeFileSync(join(at, pick(['x.csv', 'manifest.json', '\u001b[2Kx'], b)), 'x')
    else mkdirSync(join(at, 'folder'), { recursive: true })
  },
  'a link or folder in place of a file': ({ folder }, a, b) => {
    const path = join(folder, pick(filesIn(folder), a))
    rmSync(path)
    if (b % 3 === 0) mkdirSync(path)
    else symlinkSync(pick(['/dev/zero', 'nowhere', join(folder, pick(filesIn(folder), b))], b), path)
  },
  'a link in place of a folder': ({ folder, packs }, a) => {
    const path = join(folder, pick(['summit', 'anchors', 'anchors/after', 'configurations'], a))
    if (!existsSync(path)) return
    rmSync(path, { recursive: true })
    symlinkSync(packs, path)
  },
  'a huge file': ({ folder }, a) => truncateSync(join(folder, pick(filesIn(folder), a)), 140_000_000),
  'a row is gone, and the index fits': (forged, a, b) => {
    change(forged, pick(JOINED, a), (bytes) => {
      const rows = rowsOf(bytes)
      return rows.toSpliced(1 + (b % Math.max(1, rows.length - 2)), 1).join('\r\n')
    })
    fit(forged)
  },
  'a row is another, and the index fits': (forged, a, b) => {
    change(forged, pick(JOINED, a), (bytes) => {
      const rows = rowsOf(bytes)
      const from = rows[1 + (a % Math.max(1, rows.length - 2))] ?? ''
      return rows.toSpliced(1 + (b % rows.length), b % 2, from).join('\r\n')
    })
    fit(forged)
  },
  'the index fits': (forged) => fit(forged),
  'the folder of a pack is gone': ({ folder }, a) => {
    const run = pick(readdirSync(join(folder, 'summit')), a)
    if (run !== undefined) rmSync(join(folder, 'summit', run), { recursive: true })
  },
  'a pack is left out, and the index fits': (forged, a) => {
    const runs = readdirSync(join(forged.folder, 'summit'))
    const run = pick(runs, a)
    if (run === undefined) return
    rmSync(join(forged.folder, 'summit', run), { recursive: true })
    for (const name of JOINED)
      change(forged, name, (bytes) =>
        rowsOf(bytes)
          .filter((row) => !row.startsWith(`"${run}"`))
          .join('\r\n'),
      )
    fit(forged, (index) => {
      index.packs = index.packs.filter((pack) => pack.run !== run)
    })
  },
  'an end of the row becomes an anchor': (forged, a) => {
    const index = readJson<IndexText>(join(forged.folder, 'evidence.json'))
    const anchor = pick(['before', 'after'] as const, a)
    const run = String(index?.packs.at(anchor === 'before' ? 0 : -1)?.run)
    const from = join(forged.folder, 'summit', run)
    const names = ['manifest.json', 'manifest.sig']
    if (!names.every((name) => isPlain(join(from, name)))) return
    if (!existsSync(join(forged.folder, 'anchors', anchor))) return
    for (const name of names) copyFileSync(join(from, name), join(forged.folder, 'anchors', anchor, name))
    rmSync(from, { recursive: true })
    for (const name of JOINED)
      change(forged, name, (bytes) =>
        rowsOf(bytes)
          .filter((row) => !row.startsWith(`"${run}"`))
          .join('\r\n'),
      )
    fit(forged, (rewritten) => {
      rewritten.packs = rewritten.packs.filter((pack) => pack.run !== run)
      rewritten[anchor] = anchorAt(forged, anchor)
    })
  },
  'the anchors change places': (forged, _a, b) => {
    const at = (name: string) => join(forged.folder, 'anchors', name)
    if (!existsSync(at('before')) || !existsSync(at('after'))) return
    renameSync(at('before'), at('aside'))
    renameSync(at('after'), at('before'))
    renameSync(at('aside'), at('after'))
    if (b % 2 === 1) return fit(forged)
    fit(forged, (index) => {
      index.before = anchorAt(forged, 'before')
      index.after = anchorAt(forged, 'after')
    })
  },
  'the pack before is known by its hash only, or not at all': (forged, a) => {
    rmSync(join(forged.folder, 'anchors', 'before'), { recursive: true, force: true })
    fit(forged, (index) => {
      withoutFile(index, 'anchors/before/manifest.json', 'anchors/before/manifest.sig')
      if (a % 3 === 0) index.before = null
      else if (a % 3 === 1) Object.assign(index.before ?? {}, { run: null, finishedAt: null })
    })
  },
  'nothing is named as after': (forged) => {
    rmSync(join(forged.folder, 'anchors', 'after'), { recursive: true, force: true })
    fit(forged, (index) => {
      withoutFile(index, 'anchors/after/manifest.json', 'anchors/after/manifest.sig')
      index.after = null
    })
  },
  'another pack of the integration is added': (forged, a, b) => {
    const run = pick(
      readdirSync(forged.packs).filter((name) => /^[0-9a-f-]{36}$/.test(name)),
      a,
    )
    const place = join(forged.folder, 'summit', run)
    if (lstatSync(dirname(place), { throwIfNoEntry: false })?.isDirectory() !== true) return
    // Another forger may have made a folder of a file. If a file is copied over a folder, Node ends the process.
    rmSync(place, { recursive: true, force: true })
    cpSync(join(forged.packs, run), place, { recursive: true })
    const entry = { run, manifestSha256: '', landedAt: null, productVersion: null, planHash: null }
    if (b % 2 === 0)
      fit(forged, (index) => {
        const version = index.packs[0]?.productVersion ?? null
        const added = { ...entry, productVersion: version, configHash: null, startedBy: null, purge: null }
        if (index.packs.every((pack) => pack.run !== run))
          index.packs[b % 4 === 0 ? 'push' : 'unshift'](added)
      })
  },
  'a configuration is another': (forged, a, b) => {
    const [name = ''] = filesIn(forged.folder).filter((file) => file.startsWith('configurations/'))
    change(forged, name, (bytes) => bytes.toString().replace('"maxShare":0.2', `"maxShare":0.${3 + (a % 5)}`))
    if (!isPlain(join(forged.folder, name)) || b % 3 === 0) return fit(forged)
    const other = `configurations/${sha256(readFileSync(join(forged.folder, name)))}.json`
    renameSync(join(forged.folder, name), join(forged.folder, other))
    fit(forged, (index) => {
      for (const file of index.files) if (file.name === name) file.name = other
      if (b % 3 === 1) index.unknownConfigurations = [/[0-9a-f]{64}/.exec(name)?.[0] ?? '']
    })
  },
  'a configuration is gone': (forged, a) => {
    const [name = ''] = filesIn(forged.folder).filter((file) => file.startsWith('configurations/'))
    rmSync(join(forged.folder, 'configurations'), { recursive: true, force: true })
    fit(forged, (index) => {
      withoutFile(index, name)
      if (a % 2 === 0) index.unknownConfigurations = [/[0-9a-f]{64}/.exec(name)?.[0] ?? '']
    })
  },
  'the period is another': (forged, a, b) =>
    fit(forged, (index) => {
      index[pick(['from', 'to'], a)] = pick(
        ['2031-01-01', '2031-01-10', '2031-01-11', '2031-01-25', '2031-12-31', '0000-00-00', '2031-1-1'],
        b,
      )
    }),
  'a value of the index is another': (forged, a, b) => {
    change(forged, 'evidence.json', (bytes) => {
      const lines = bytes.toString().split('\n')
      const at = (a * 31 + b) % lines.length
      const value = pick(VALUES, a + b)
      const changed = (lines[at] ?? '').replace(/(?<=^ +(?:"[^"]*": )?)[^\s[{\]},][^,]*(?=,?$)/, () => value)
      return lines.with(at, changed).join('\n')
    })
  },
  'a key of the index is gone, or more': (forged, a, b) =>
    fit(forged, (index) => {
      if (b % 2 === 0) delete index[pick(Object.keys(index), a)]
      else Object.assign(index, { more: a })
    }),
  'a pack is forged, and the index fits': (forged, a, b) => {
    const packs = packsAt(join(forged.folder, 'summit'))
    const name = pick(Object.keys(MOVES), a)
    if (packs.runs.length > 0) forge(packs, { name, run: b % packs.runs.length, a: b, b: a })
    fit(forged)
  },
  'a pack is purged': (forged, a, b) => {
    const run = pick(readdirSync(join(forged.folder, 'summit')), a)
    const pack = join(forged.folder, 'summit', String(run))
    if (!isPlain(join(pack, 'manifest.json'))) return
    for (const name of readdirSync(pack))
      if (!/^(?:manifest|details)\./.test(name)) rmSync(join(pack, name), { recursive: true })
    const purge = { purgedAt: '2031-05-01T00:00:00.000Z', purgedBy: 'me' }
    const manifestSha256 = sha256(readFileSync(join(pack, 'manifest.json')))
    const note = { ...purge, manifestSha256, lastManifestSha256: manifestSha256 }
    writeFileSync(join(pack, 'purged.json'), `${JSON.stringify(note, null, 2)}\n`)
    for (const name of JOINED)
      change(forged, name, (bytes) =>
        rowsOf(bytes)
          .filter((row) => !row.startsWith(`"${run}"`))
          .join('\r\n'),
      )
    fit(forged, (index) => {
      for (const entry of index.packs) if (entry.run === run && b % 3 > 0) entry.purge = purge
    })
  },
  'no signature, or another': ({ folder, packs }, a) => {
    const path = join(folder, 'evidence.sig')
    const [run = ''] = readdirSync(packs)
    if (a % 2 === 0) rmSync(path, { force: true, recursive: true })
    else if (isPlain(path) && isPlain(join(packs, run, 'manifest.sig')))
      copyFileSync(join(packs, run, 'manifest.sig'), path)
  },
}

const moveOf = (names: readonly string[]) =>
  fc.record({
    name: fc.constantFrom(...names),
    a: fc.nat({ max: 9999 }),
    b: fc.nat({ max: 9999 }),
  })

/** A step of a forger of evidence, with random numbers. */
export const anEvidenceMove = moveOf(Object.keys(EVIDENCE_MOVES))

/** A step after which the index fits, so that a verifier reads on. */
export const aFittingEvidenceMove = moveOf(
  Object.keys(EVIDENCE_MOVES).filter(
    (name) =>
      !/^(?:a byte of a file|a file or|a link|a huge|a file is gone$|the index is gone|no sig)/.test(name),
  ),
)

/** Makes one step of a forger. An earlier step may have removed what this one needs. */
export function forgeEvidence(forged: Forged, { name, a, b }: { name: string; a: number; b: number }): void {
  try {
    EVIDENCE_MOVES[name]?.(forged, a, b)
  } catch (error) {
    const isOfEarlier = error instanceof TypeError || (error instanceof Error && 'code' in error)
    if (!isOfEarlier) throw error
  }
}
