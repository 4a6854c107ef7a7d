import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type ChangeManifest, type ManifestText, type Packs, rowsIn, sha256Of } from './tamper.ts'

/** One step of a forger; the numbers select files, rows and values. */
type Move = (packs: Packs, run: number, a: number, b: number) => void

export const pick = <Value>(list: readonly Value[], number: number) => list[number % list.length] as Value
export const isPlain = (packs: Packs, run: number, file: string) =>
  existsSync(packs.path(run, file)) && lstatSync(packs.path(run, file)).isFile()
/** Writes a file; removes the old one first, since a pipe would wait for a reader. */
function put(packs: Packs, run: number, file: string, content: string | Buffer): void {
  rmSync(packs.path(run, file), { force: true, recursive: true })
  packs.write(run, file, content)
}
const csvOf = (packs: Packs, run: number) =>
  packs.files(run).filter((file) => file.endsWith('.csv') && isPlain(packs, run, file))

/** Rewrites manifest, details, sums and descriptor if they can still be read, as an earlier step may prevent. */
function fit(packs: Packs, run: number, change: ChangeManifest = () => undefined): void {
  try {
    rewrite(packs, run, change)
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
}

/** Rewrites manifest, details, sums and descriptor as the writer would make them for these files. */
function rewrite(packs: Packs, run: number, change: ChangeManifest): void {
  const names = ['manifest.json', 'details.json', 'datapackage.json']
  if (!names.every((name) => isPlain(packs, run, name) && lstatSync(packs.path(run, name)).size < 1e6)) return
  const [manifest, details] = ['manifest.json', 'details.json'].map(
    (name): ManifestText => JSON.parse(packs.read(run, name).toString()),
  )
  const description: { resources: { path: string }[] } = JSON.parse(
    packs.read(run, 'datapackage.json').toString(),
  )
  const listed = [manifest, details].flatMap((one) => one?.files.map(({ name }) => name) ?? [])
  const named = [...listed, ...description.resources.map(({ path }) => path)]
  if (!named.every((name) => isPlain(packs, run, name))) return
  rmSync(packs.path(run, 'SHA256SUMS'), { force: true, recursive: true })
  packs.refresh(run, change)
}

const CELLS = [
  ...['', '""', '"x"', 'x', '1', '"1"', '-1', '01', '1e3', '99999999999999999999', '1'.repeat(31)],
  ...[
    '"=1+1"',
    '"\'=1+1"',
    '"\'x"',
    '"\'"',
    '"\'\'x"',
    '"＝1"',
    '"\t1"',
    '"a""b"',
    '"a"b',
    'a"b',
    '"',
    ' "x"',
  ],
  ...['true', '"true"', '"false"', 'TRUE', '"masked"', '"agenda"', '"speakers"', '"other"', '"synced"'],
  ...['"create"', '"unchanged"', '"remove"', '"upsert"', '"handover"', '"duplicate_id"', '"withheld"'],
  ...['"x\r\ny"', '"x\ny"', 'x\ny', '"x,y"', '\u0000', '"\u2028"', '\uFEFF', '"😀"', '"x","y"'],
]

/** Cells in place of a local time or a zone. */
const CLOCKS = [
  ...['', '""', '"2031-05-04T09:00:00"', '"2031-05-04T11:00:00"', '"2031-05-04T13:00:00"', '"2031-05-04"'],
  ...['"2031-05-04T15:00:00"', '"2031-05-04T24:00:00"', '"2031-02-29T13:00:00"', '"2031-05-04T13:00:00Z"'],
  ...['"UTC"', '"utc"', '"Etc/UTC"', '"Europe/Berlin"', '"europe/paris"', '"US/Eastern"', '"EST5EDT"'],
  ...[
    '"+02:00"',
    `"'+02:00"`,
    `"'-05:00"`,
    `"'-00:00"`,
    `"'+00:00"`,
    `"'+14:00"`,
    `"'+14:01"`,
    '"UTC+2"',
    '"EDT"',
    '"CST"',
  ],
  ...[
    '"Mars"',
    '"localtime"',
    '"GMT+0"',
    '"GMT0"',
    '"Factory"',
    '"US/Pacific-New"',
    '"Eastern Standard Time"',
  ],
]

export const BYTES = [
  ...['', '"', ',', '\r\n', '\n', '\r', ' ', "'", '=', '0', '\\', '{', ']', '\u0000', 'é'].map((text) =>
    Buffer.from(text),
  ),
  ...[[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xef, 0xbb, 0xbf], [0xf5, 0x80, 0x80, 0x80]].map((bytes) =>
    Buffer.from(bytes),
  ),
]

/** Changes of a line of `operations.jsonl`. */
const LINES: readonly ((line: string) => string)[] = [
  (line) => line.replace('{', '{ '),
  (line) => line.replace('{', '{"op":"remove",'),
  (line) => line.replace('{', '{"__proto__":1,'),
  (line) => line.replace('"fields":{', '"fields":{"__proto__":"x",'),
  (line) => line.replace('"fields":{', '"fields":{"other":"x",'),
  (line) => line.replace('"fields":{', '"fields":{"other":"",'),
  (line) => line.replace('"fields":{', '"fields":{"uniqueId":"x",'),
  (line) => line.replace('"fields":{', '"fields":{"company":"",'),
  (line) => line.replace('"fields":{', '"fields":{"custom":{"a":1.50,"b":[]},'),
  (line) => line.replace('"fields":{', '"fields":{"custom":{"a":"","b":[]},'),
  (line) => line.replace('"fields":{', '"fields":{"custom":{"2":"","1":""},'),
  (line) => line.replace(/"seq":\d+/, '"seq":1.0'),
  (line) => line.replace(/"seq":\d+/, '"seq":0'),
  (line) => line.replace(/"seq":\d+/, '"seq":9007199254740993'),
  (line) => line.replace(/"seq":\d+/, '"seq":77'),
  (line) => line.replace(/"uniqueId":"/, '"uniqueId":"\\ud800'),
  (line) => line.replace(/"uniqueId":"/, '"uniqueId":"\\u0041'),
  (line) => line.replace(/"uniqueId":"/, '"uniqueId":"\u2028'),
  (line) => line.replace(/"uniqueId":"/, `"uniqueId":"${'x'.repeat(1001)}`),
  (line) => line.replace('"op":"upsert"', '"op":"remove"'),
  (line) => line.replace('"upsert"', 'NaN'),
  (line) => `${'['.repeat(5000)}${line}`,
  (line) => `${line.slice(0, -1)},"more":${'['.repeat(2000)}${']'.repeat(2000)}}`,
  () => '',
  () => '{}',
  () => '[]',
  () => '1',
  (line) => `${line}\r`,
]

/** Values in place of one of the manifest or the description. */
export const VALUES = [
  ...[
    'null',
    'true',
    '0',
    '1',
    '2',
    '-1',
    '1.0',
    '1.5',
    '1e3',
    '1e400',
    '9007199254740992',
    '-0',
    'NaN',
    '[]',
  ],
  ...[
    '{}',
    '""',
    '"x"',
    '"\\u0041"',
    '"\\ud800"',
    '"é"',
    '"full"',
    '"masked"',
    '"http"',
    '"string"',
    '"integer"',
  ],
  ...[
    `"${'a'.repeat(64)}"`,
    '"00000000-0000-0000-0000-000000000000"',
    '"agenda.csv"',
    '"../x"',
    '1'.repeat(5000),
  ],
]

const MANIFEST_CHANGES: readonly ((manifest: ManifestText, hash: string, details: ManifestText) => void)[] = [
  (manifest) => delete manifest.format,
  (manifest) => delete manifest.personalData,
  (manifest) => Object.assign(manifest, { integration: 'other' }),
  (manifest) => Object.assign(manifest, { supersedes: manifest.previousManifestSha256 }),
  (manifest) => Object.assign(manifest, { format: 2 }),
  (manifest) => Object.assign(manifest, { personalData: 'masked' }),
  (manifest, hash) => Object.assign(manifest, { previousManifestSha256: hash }),
  (manifest) => Object.assign(manifest, { previousManifestSha256: null }),
  (manifest, hash) => Object.assign(manifest, { supersedes: hash }),
  (manifest, hash) => Object.assign(manifest, { alsoSupersedes: [hash, hash] }),
  (manifest, hash) =>
    Object.assign(manifest, {
      purges: [
        {
          purgedAt: '2999-01-01T00:00:00.000Z',
          purgedBy: 'me',
          packs: [{ run: manifest.run, manifestSha256: hash }],
        },
      ],
    }),
  (_, __, details) => Object.assign(details, { counts: null, certificates: [], requests: [] }),
  (manifest) => Object.assign(manifest, { finishedAt: '2001-01-01T00:00:00Z' }),
  (_, __, details) => Object.assign(details, { platform: { type: 'http', url: '', eventId: '' } }),
  (manifest) => Object.assign(manifest, { platform: { type: 'http' }, counts: null, requests: [] }),
  (manifest) => Object.assign(manifest, { files: manifest.files.slice(1) }),
  (manifest) => Object.assign(manifest, { files: [] }),
  (_, __, details) => Object.assign(details, { files: details.files.slice(1) }),
  (manifest, _, details) => Object.assign(details, { files: [...details.files, ...manifest.files] }),
  (manifest, _, details) => {
    manifest.files.push(...details.files)
    details.files = []
  },
  (manifest) => delete manifest.command,
  (manifest) => Object.assign(manifest, { command: 'rollback', rollbackTo: manifest.run }),
  (manifest) => Object.assign(manifest, { command: 'run', rollbackTo: manifest.run }),
  (manifest) => delete manifest.renamed,
  (manifest) => Object.assign(manifest, { renamed: [{ from: 'summit' }, { from: 'winter' }] }),
  (manifest) => Object.assign(manifest, { renamed: [] }),
]

export const MOVES: Readonly<Record<string, Move>> = {
  'an altered table, sums that fit, and a note of a purge': (packs, run, a, b) => {
    MOVES['a cell is another']?.(packs, run, a, b)
    MOVES['the manifest fits']?.(packs, run, a, b)
    MOVES['a note of a purge']?.(packs, run, a, b)
  },
  'a cell is another': (packs, run, a, b) => {
    const file = pick(csvOf(packs, run), a)
    if (file === undefined) return
    const rows = rowsIn(packs.read(run, file))
    const at = 1 + (b % Math.max(1, rows.length - 1))
    put(
      packs,
      run,
      file,
      `${rows.with(Math.min(at, rows.length - 1), `${rows[at] ?? ''}x`).join('\r\n')}\r\n`,
    )
  },
  'a row is gone': (packs, run, a, b) => {
    const file = pick(csvOf(packs, run), a)
    if (file === undefined) return
    const rows = rowsIn(packs.read(run, file))
    put(packs, run, file, `${rows.toSpliced(1 + (b % rows.length), 1).join('\r\n')}\r\n`)
  },
  'the manifest fits': (packs, run) => fit(packs, run),
  'the manifest says another thing': (packs, run, a, b) => {
    const other = isPlain(packs, b % packs.runs.length, 'manifest.json')
      ? sha256Of(packs.read(b % packs.runs.length, 'manifest.json'))
      : 'f'.repeat(64)
    fit(packs, run, (manifest, details) => pick(MANIFEST_CHANGES, a)(manifest, other, details))
  },
  'a file is gone, and nobody names it': (packs, run, a) => {
    const file = pick(packs.files(run), a)
    if (!isPlain(packs, run, file)) return
    fit(packs, run, (...both) => {
      for (const one of both) one.files = one.files.filter(({ name }) => name !== file)
    })
    rmSync(packs.path(run, file))
  },
  'a file is gone': (packs, run, a) =>
    rmSync(packs.path(run, pick(packs.files(run), a)), { recursive: true }),
  'all tables are gone': (packs, run) => {
    for (const file of csvOf(packs, run)) rmSync(packs.path(run, file))
  },
  'a file more': (packs, run, a) =>
    put(
      packs,
      run,
      pick(
        ['\u001b[2K\u202Ex.csv', 'purged.sig', 'manifest.superseded-1.json', 'details.superseded-1.json'],
        a,
      ),
      'x',
    ),
  'a note of a purge': (packs, run, a) => {
    if (!isPlain(packs, run, 'manifest.json')) return
    const purgedAt = pick(['1999-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'], a)
    const manifestSha256 = sha256Of(packs.read(run, 'manifest.json'))
    put(
      packs,
      run,
      'purged.json',
      `${JSON.stringify({ purgedAt, purgedBy: 'me', manifestSha256, lastManifestSha256: manifestSha256 }, null, 2)}\n`,
    )
  },
  'a note of a renaming': (packs, run, a, b) => {
    if (!isPlain(packs, run, 'manifest.json')) return
    const lastManifestSha256 = pick([sha256Of(packs.read(run, 'manifest.json')), 'f'.repeat(64), null], a)
    const renamed = [{ from: pick(['other', 'winter'], b), renamedAt: '2031-05-01T00:00:00.000Z' }]
    const note = { integration: pick(['summit', 'spring', 'other'], a + b), renamed, lastManifestSha256 }
    writeFileSync(join(packs.folder, 'renamed.json'), `${JSON.stringify(note, null, 2)}\n`)
    if (!isPlain(packs, run, 'manifest.sig')) return
    writeFileSync(join(packs.folder, 'renamed.sig'), packs.read(run, 'manifest.sig'))
  },
  'a signature of another file': (packs, run, a, b) => {
    const from = b % packs.runs.length
    if (!isPlain(packs, from, 'manifest.sig')) return
    put(packs, run, pick(['manifest.sig', 'purged.sig'], a), packs.read(from, 'manifest.sig'))
  },
  'no signature': (packs, run) => rmSync(packs.path(run, 'manifest.sig'), { force: true, recursive: true }),
  'a manifest that it had before': (packs, run, a, b) => {
    const from = a % packs.runs.length
    if (!isPlain(packs, run, 'manifest.json') || !isPlain(packs, from, 'manifest.json')) return
    const before = packs.read(from, 'manifest.json')
    const files: [name: string, bytes: Buffer][] = [['manifest.superseded-1.json', before]]
    if (isPlain(packs, from, 'details.json') && b % 4 > 0)
      files.push(['details.superseded-1.json', packs.read(b % 4 > 1 ? from : run, 'details.json')])
    for (const [name, bytes] of files) put(packs, run, name, bytes)
    fit(packs, run, (manifest) => {
      for (const [name, bytes] of files)
        manifest.files.push({ name, rows: 0, bytes: bytes.length, sha256: sha256Of(bytes) })
      Object.assign(manifest, { supersedes: sha256Of(before) })
    })
  },
  'a file of another pack': (packs, run, a, b) => {
    const file = pick(packs.files(run), a)
    const from = packs.path(b % packs.runs.length, file)
    if (existsSync(from) && lstatSync(from).isFile() && isPlain(packs, run, file)) {
      const bytes = packs.read(b % packs.runs.length, file)
      put(packs, run, file, bytes)
    }
  },
  'a link': (packs, run, a, b) => {
    const file = pick([...packs.files(run), 'purged.json'], a)
    rmSync(packs.path(run, file), { force: true, recursive: true })
    symlinkSync(
      pick(['/dev/zero', '/dev/stdin', packs.path(b % packs.runs.length, file), 'nowhere'], b),
      packs.path(run, file),
    )
  },
  'a pipe': (packs, run, a) => {
    const file = pick([...packs.files(run), 'purged.json'], a)
    rmSync(packs.path(run, file), { force: true, recursive: true })
    execFileSync('mkfifo', [packs.path(run, file)])
  },
  'a folder': (packs, run, a) => {
    const file = pick(packs.files(run), a)
    rmSync(packs.path(run, file), { force: true, recursive: true })
    mkdirSync(packs.path(run, file))
  },
  'a huge file': (packs, run, a) => {
    const file = pick([...packs.files(run), 'purged.json'], a)
    if (!isPlain(packs, run, file)) {
      if (file !== 'purged.json') return
      put(packs, run, file, '')
    }
    truncateSync(packs.path(run, file), 140_000_000)
  },
  'a cell has another form': (packs, run, a, b) => {
    const file = pick(csvOf(packs, run), a)
    if (file === undefined) return
    const rows = rowsIn(packs.read(run, file))
    const at = b % rows.length
    const cells = (rows[at] ?? '').split(',')
    const cell = pick(CELLS, a + b)
    const changed = cells.with((a * 7 + b) % cells.length, cell).join(',')
    put(packs, run, file, `${rows.with(at, changed).join('\r\n')}\r\n`)
    fit(packs, run)
  },
  'a local time or a zone is another, and the manifest fits': (packs, run, a, b) => {
    if (!isPlain(packs, run, 'agenda.csv')) return
    const rows = rowsIn(packs.read(run, 'agenda.csv'))
    const at = 1 + (b % Math.max(1, rows.length - 1))
    const cells = (rows[at] ?? '').split(',')
    const changed = cells.with(-1 - (a % Math.min(3, cells.length)), pick(CLOCKS, a + b)).join(',')
    put(packs, run, 'agenda.csv', `${rows.with(Math.min(at, rows.length - 1), changed).join('\r\n')}\r\n`)
    fit(packs, run)
  },
  'a row is another, and the manifest fits': (packs, run, a, b) => {
    const file = pick(csvOf(packs, run), a)
    if (file === undefined) return
    const rows = rowsIn(packs.read(run, file))
    const [at, from] = [1 + (b % rows.length), 1 + ((a + b) % rows.length)]
    const moved = rows.toSpliced(at, a % 2, ...(rows[from] === undefined ? [] : [rows[from]]))
    put(packs, run, file, `${moved.join('\r\n')}\r\n`)
    fit(packs, run)
  },
  'a byte is another, and the manifest fits': (packs, run, a, b) => {
    const file = pick(packs.files(run), a)
    if (!isPlain(packs, run, file) || lstatSync(packs.path(run, file)).size > 1e6) return
    const bytes = packs.read(run, file)
    if (bytes.length === 0) return
    const at = (a * 1009 + b * 7919) % bytes.length
    put(
      packs,
      run,
      file,
      Buffer.concat([bytes.subarray(0, at), pick(BYTES, b), bytes.subarray(at + (a % 2))]),
    )
    fit(packs, run)
  },
  'an operation is another': (packs, run, a, b) => {
    if (!isPlain(packs, run, 'operations.jsonl')) return
    if (lstatSync(packs.path(run, 'operations.jsonl')).size > 1e6) return
    const lines = packs.read(run, 'operations.jsonl').toString().split('\n')
    const at = b % lines.length
    const changed = pick(LINES, a)(lines[at] ?? '')
    const body = lines.with(at, changed).slice(0, -2).join('\n')
    const trailer = (lines.at(-2) ?? '').replace(/(?<="sha256":")\w+/, sha256Of(Buffer.from(`${body}\n`)))
    put(packs, run, 'operations.jsonl', `${body}\n${trailer}\n`)
    fit(packs, run)
  },
  'a value of the manifest or the description is another': (packs, run, a, b) => {
    const file = pick(['manifest.json', 'details.json', 'datapackage.json'], b)
    fit(packs, run)
    if (!isPlain(packs, run, file) || lstatSync(packs.path(run, file)).size > 1e6) return
    const lines = packs.read(run, file).toString().split('\n')
    const at = (a * 31 + b) % lines.length
    const value = pick(VALUES, a + b)
    const changed = (lines[at] ?? '').replace(/(?<=^ +(?:"[^"]*": )?)[^\s[{\]},][^,]*(?=,?$)/, () => value)
    put(packs, run, file, lines.with(at, changed).join('\n'))
    fit(packs, run)
  },
  'two packs change places': (packs, run, a) => {
    const other = a % packs.runs.length
    if (other === run) return
    renameSync(packs.path(run, ''), `${packs.folder}/aside`)
    renameSync(packs.path(other, ''), packs.path(run, ''))
    renameSync(`${packs.folder}/aside`, packs.path(other, ''))
  },
  'the packs after it follow it': (packs, run) => {
    for (let at = run + 1; at < packs.runs.length; at += 1) {
      if (!isPlain(packs, at - 1, 'manifest.json')) return
      const previousManifestSha256 = sha256Of(packs.read(at - 1, 'manifest.json'))
      fit(packs, at, (manifest) => Object.assign(manifest, { previousManifestSha256 }))
    }
  },
}

const oneOf = (names: readonly string[]) =>
  fc.record({
    name: fc.constantFrom(...names),
    run: fc.nat(3),
    a: fc.nat({ max: 9999 }),
    b: fc.nat({ max: 9999 }),
  })

/** A step of a forger with random numbers. */
export const aMove = oneOf(Object.keys(MOVES))

/** A step after which the hashes of the pack fit, so that a verifier reads all of it. */
export const aFittingMove = oneOf([
  'a local time or a zone is another, and the manifest fits',
  'a cell has another form',
  'a row is another, and the manifest fits',
  'a byte is another, and the manifest fits',
  'an operation is another',
  'a value of the manifest or the description is another',
])

/** Makes one step of a forger. */
export function forge(packs: Packs, { name, run, a, b }: Forgery): void {
  const place = run % packs.runs.length
  if (packs.files(place).length > 0) MOVES[name]?.(packs, place, a, b)
}

interface Forgery {
  readonly name: string
  readonly run: number
  readonly a: number
  readonly b: number
}
