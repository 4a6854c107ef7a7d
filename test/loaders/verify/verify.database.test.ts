import { execFileSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readPacks } from '../../../loaders/verify/found-manifest.ts'
import { useFolder, useOneFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import { chains } from './chains.ts'
import { type ManifestText, type Packs, packsAt, rowsIn, rowsOfPack, sha256Of, withoutRow } from './tamper.ts'

// Changes the signed packs of one integration in many ways, and checks that `verify` notices.
// `attacks.long.test.ts` tests the same kinds of changes with more packs.

const database = useDatabase('pglite')
const copies = useFolder()
const keys = generateKeyPairSync('ed25519')
const made = useOneFolder()
let original = ''
let packs: Packs

beforeAll(async () => {
  const signingKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const make = chains['Source A, signed']
  original = (await make?.({ database: database(), output: made, signingKey })) ?? ''
})

beforeEach(() => {
  const folder = join(copies(), 'summit')
  cpSync(original, folder, { recursive: true })
  packs = packsAt(folder)
})

const text = (run: number, file: string) => packs.read(run, file).toString()
const rewrite = (run: number, file: string, change: (content: string) => string) =>
  packs.write(run, file, change(text(run, file)))

test('verify reports no findings in unchanged packs, with or without the key', async () => {
  for (const run of [0, 1, 2, 3]) {
    expect(await packs.verify(run)).toEqual([])
    expect(await packs.verify(run, keys.publicKey)).toEqual([])
  }
})

test('verify finds a file with a flipped byte, a truncated file and a missing file', async () => {
  for (const file of packs.files(1)) {
    const bytes = packs.read(1, file)
    // The last base64 character of a signature has bits that are not part of the signature. The test flips
    // one of these bits.
    const at = file === 'manifest.sig' ? 85 : bytes.length >> 1
    const flipped = bytes.with(at, (bytes[at] ?? 0) ^ 1)
    const wanted = new RegExp(`^(${file.replaceAll('.', '\\.')}|SHA256SUMS) `, 'm')
    for (const content of [Buffer.from(flipped), bytes.subarray(0, -1)]) {
      packs.write(1, file, content)
      expect((await packs.verify(1)).join('\n'), file).toMatch(wanted)
    }
    rmSync(packs.path(1, file))
    expect((await packs.verify(1, keys.publicKey)).join('\n'), file).toMatch(/ is missing| is not in /)
    packs.write(1, file, bytes)
  }
})

test('verify finds an additional file, folder or link', async () => {
  packs.write(1, 'more.csv', '')
  mkdirSync(packs.path(1, 'folder'))
  symlinkSync(packs.path(0, 'agenda.csv'), packs.path(1, 'link.csv'))
  expect(await packs.verify(1)).toEqual([
    'folder is not in the manifest',
    'link.csv is not in the manifest',
    'more.csv is not in the manifest',
  ])
})

test.each(['agenda.csv', 'manifest.json', 'SHA256SUMS'])(
  'verify finds a link in place of %s, wherever it leads, and a folder in its place',
  async (file) => {
    const elsewhere = join(copies(), 'elsewhere')
    renameSync(packs.path(1, file), elsewhere)
    symlinkSync(elsewhere, packs.path(1, file))
    expect(await packs.verify(1)).toEqual([`${file} is a link or a folder, not a file`])
    rmSync(packs.path(1, file))
    mkdirSync(packs.path(1, file))
    expect((await packs.verify(1)).join()).toContain(`${file} is `)
  },
)

test('if a row was removed and all hashes were computed again, verify finds a wrong sum', async () => {
  for (const [file, row] of rowsOfPack(packs, 1).filter((_, at) => at % 4 === 0)) {
    if (file === 'changes.csv') continue
    await packs.meddle(1, async () => {
      withoutRow(packs, 1, file, row)
      packs.refresh(1)
      expect(await packs.verify(1), `${file} row ${row}`).not.toEqual([])
    })
  }
})

test('if fields of a changed item were removed and all hashes were computed again, verify finds different ids', async () => {
  const [header = '', first = '', ...rest] = rowsIn(packs.read(1, 'changes.csv'))
  const item = first.split(',').slice(0, 2).join()
  const others = rest.filter((row) => !row.startsWith(item))
  packs.write(1, 'changes.csv', `${[header, ...others].join('\r\n')}\r\n`)
  packs.refresh(1)
  expect((await packs.verify(1)).join()).toContain('changes.csv agenda: the ids differ from those of')
})

test('verify finds an altered field of an upsert, even if all hashes were computed again', async () => {
  const alterOperations = () =>
    rewrite(0, 'operations.jsonl', (content) => {
      const lines = content.replace('"Session 101"', '"Session 911"').trimEnd().split('\n')
      const body = `${lines.slice(0, -1).join('\n')}\n`
      const trailer = { ...JSON.parse(lines.at(-1) ?? ''), sha256: sha256Of(Buffer.from(body)) }
      return `${body}${JSON.stringify(trailer)}\n`
    })
  const alterItems = () =>
    rewrite(0, 'agenda.csv', (content) => content.replace('"Session 101"', '"Session 911"'))
  for (const alter of [alterOperations, alterItems]) {
    await packs.meddle(0, async () => {
      alter()
      packs.refresh(0)
      expect(await packs.verify(0)).toContain(
        'operations.jsonl agenda: the fields of upserts differ from those in agenda.csv',
      )
    })
  }
})

describe('figures that were changed to fit', () => {
  const figures: Readonly<Record<string, (rows: string) => string>> = {
    'users read': (rows) => rows.replace(/"users","read",\d+,\d+/, '"users","read",99,99'),
    'agenda records': (rows) => rows.replace(/("records"),\d+,\d+/, '$1,99,99'),
    'agenda synced': (rows) => rows.replace(/("synced"),\d+,\d+/, '$1,99,99'),
    'agenda live has no expected value': (rows) => rows.replace(/("live",\d+),\d+,"true"/, '$1,,'),
    'agenda created appears twice': (rows) => rows.replace(/(\r\n[^\r]*"created",[^\r]*)/, '$1$1'),
    'agenda kept is not a number': (rows) => rows.replace(/("kept"),\d+/, '$1,-1'),
  }
  test.each(Object.entries(figures))('%s', async (what, change) => {
    rewrite(1, 'reconciliation.csv', change)
    packs.refresh(1)
    expect((await packs.verify(1)).join('\n')).toContain(`reconciliation.csv ${what}`)
  })
})

describe('CSV files in another format than the product writes, with refreshed hashes', () => {
  const files: Readonly<
    Record<string, readonly [change: (content: Buffer) => Buffer | string, found: string]>
  > = {
    'LF in place of CRLF, as git and editors leave it': [
      (content) => content.toString().replaceAll('\r\n', '\n'),
      'agenda.csv cannot be read (',
    ],
    'a text without quotes': [
      (content) => content.toString().replace(/(?<=\r\n"[^"]*",)"(\w+)"/, '$1'),
      'agenda.csv row 1, column action: a text is without quotes',
    ],
    'a value that its column cannot have': [
      (content) => content.toString().replace(/(?<=\r\n"[^"]*",)"\w+"/, '"made"'),
      'agenda.csv row 1, column action: the value is not one of this column',
    ],
    'a text that a spreadsheet would run as a formula': [
      (content) => content.toString().replace(/(?<=\r\n"[^"]*","\w+",)"/, '"=1+1'),
      "agenda.csv row 1, column name: a ' is missing in front of a text that could run as a formula",
    ],
    'a last line without its end': [(content) => content.subarray(0, -2), 'ends in the middle of a line'],
    'no UTF-8': [
      (content) => Buffer.concat([content.subarray(0, -4), Buffer.from([0xff]), content.subarray(-4)]),
      'agenda.csv cannot be read (ERR_ENCODING_INVALID_ENCODED_DATA)',
    ],
    'columns of another name': [
      (content) => content.toString().replace('unique_id', 'uniqueId'),
      'agenda.csv has other columns',
    ],
    'a column less': [(content) => content.toString().replaceAll(/,[^,]*(?=\r\n)/g, ''), 'agenda.csv '],
    'a row of more cells than the header': [
      (content) => Buffer.concat([content, Buffer.from(`${','.repeat(1_000_000)}\r\n`)]),
      'agenda.csv has a row of more than ',
    ],
    'a header of more cells than any': [
      () => `${'a,'.repeat(20_000)}a\r\n`,
      'agenda.csv has a row of more than 10000 cells',
    ],
    'a wide header, as UTF-16 has it': [
      (content) => Buffer.from(content.toString(), 'utf16le'),
      'agenda.csv ',
    ],
  }
  test.each(Object.entries(files))('%s', async (_, [change, found]) => {
    packs.write(1, 'agenda.csv', change(packs.read(1, 'agenda.csv')))
    packs.refresh(1)
    expect((await packs.verify(1)).join('\n')).toContain(found)
  })
})

test.each([
  ['attendees.csv', 0, []],
  ['agenda.csv', 3, []],
  ['agenda.csv', 0, ['agenda.csv has other columns']],
  ['decisions.csv', 0, ['decisions.csv has other columns']],
  ['changes.csv', 0, ['changes.csv has other columns']],
])(
  'verify accepts a column of a custom field only in a file with items, before local times: %s, %i columns after it',
  async (file, after, found) => {
    const rows = rowsIn(packs.read(3, file)).map((row, at) => {
      const cells = row.split(',')
      return cells.toSpliced(cells.length - after, 0, at === 0 ? 'custom.diet' : '"x"').join(',')
    })
    packs.write(3, file, `${rows.join('\r\n')}\r\n`)
    packs.refresh(3)
    expect(await packs.verify(3)).toEqual(found)
  },
)

describe('an invalid manifest', () => {
  const first = (manifest: ManifestText) => {
    const [file] = manifest.files
    if (file === undefined) throw new Error('a pack has files')
    return file
  }
  const forged: Readonly<Record<string, (manifest: ManifestText) => void>> = {
    'a name that leads out of the pack': (manifest) =>
      Object.assign(first(manifest), { name: '../agenda.csv' }),
    'a path with backslashes': (manifest) => Object.assign(first(manifest), { name: '..\\agenda.csv' }),
    'a file twice': (manifest) => manifest.files.push(first(manifest)),
    'itself as a file': (manifest) => Object.assign(first(manifest), { name: 'manifest.json' }),
    'fewer rows than none': (manifest) => Object.assign(first(manifest), { rows: -1 }),
    'another hash function': (manifest) => Object.assign(first(manifest), { sha256: 'd41d8cd98f00b204' }),
    'a run that is none': (manifest) => Object.assign(manifest, { run: '../..' }),
  }
  test.each(Object.entries(forged))('%s', async (_, change) => {
    packs.refresh(1, change)
    expect(await packs.verify(1)).toEqual(['manifest.json is not a manifest of an audit pack'])
  })

  const texts: Readonly<Record<string, (content: string) => string | Buffer>> = {
    'a key twice, which readers understand in two ways': (content) =>
      content.replace('{\n', '{\n  "run": "01985c7e-0000-7000-8000-000000000001",\n'),
    'a byte order mark': (content) => `\uFEFF${content}`,
    'CRLF in place of LF': (content) => content.replaceAll('\n', '\r\n'),
    'no UTF-8': (content) => Buffer.from(content.replace('test', 't\u00e9st'), 'latin1'),
    'deep nesting': () => '['.repeat(200_000),
    'a number that no double holds': (content) => content.replace(/"rows": \d+/, '"rows": 1e400'),
  }
  test.each(Object.entries(texts))('%s', async (_, change) => {
    packs.write(1, 'manifest.json', change(text(1, 'manifest.json')))
    expect(await packs.verify(1)).toEqual(['manifest.json is not a manifest of an audit pack'])
  })

  test('verify finds that the manifest and the pack lack a file that every pack has', async () => {
    for (const file of ['decisions.csv', 'report.html', 'datapackage.json']) {
      await packs.meddle(1, async () => {
        packs.refresh(1, (...both) => {
          for (const one of both) one.files = one.files.filter(({ name }) => name !== file)
        })
        rmSync(packs.path(1, file))
        expect(await packs.verify(1)).toContain(`${file} is not in the manifest`)
      })
    }
  })

  test('verify finds counts, certificates or answers that do not fit the files', async () => {
    const claims: readonly (readonly [RegExp, string, string])[] = [
      [/"create": \d+/, '"create": 77', 'agenda.csv create: '],
      [
        /"elements": \d+,\n {6}"distinctIds"/,
        '"elements": 77,\n      "distinctIds"',
        'certificates.csv row 1',
      ],
      [/"distinctIds": \d+/, '"distinctIds": 77', 'certificates.csv has 77 distinct_ids for rooms'],
      [/("sha256": "\w+",\n {6})"elements": \d+/, '$1"elements": 77', 'the answers in details.json have'],
    ]
    for (const [claim, forgedClaim, found] of claims) {
      await packs.meddle(1, async () => {
        rewrite(1, 'details.json', (content) => content.replace(claim, forgedClaim))
        packs.refresh(1)
        expect((await packs.verify(1)).join('\n'), String(claim)).toContain(found)
      })
    }
  })
})

describe('SHA256SUMS', () => {
  const changed: Readonly<Record<string, (content: string) => string>> = {
    'another entry': (content) => `${content}${'0'.repeat(64)}  ../secret\n`,
    'a line twice': (content) => content.replace(/^(.*\n)/, '$1$1'),
    'CRLF in place of LF': (content) => content.replaceAll('\n', '\r\n'),
    'a byte order mark': (content) => `\uFEFF${content}`,
  }
  test.each(Object.entries(changed))('%s', async (_, change) => {
    rewrite(1, 'SHA256SUMS', change)
    expect((await packs.verify(1)).join()).toMatch(/^SHA256SUMS (has extra lines|does not match)/)
  })
})

describe('the chain', () => {
  test('verify finds two packs that both say that they are the first', async () => {
    packs.refresh(3, (manifest) => Object.assign(manifest, { previousManifestSha256: null }))
    expect(await packs.verify(3)).toEqual([
      `chain run ${packs.runs[3]} and run ${packs.runs[0]} both say that they are the first`,
    ])
  })

  test('verify finds a pack of another integration in the same folder', async () => {
    packs.refresh(3, (manifest) => {
      manifest.integration = 'other'
    })
    expect((await packs.verify(0)).join()).toContain(
      `run ${packs.runs[3]} is next to run ${packs.runs[0]}, but belongs to another integration`,
    )
    expect((await packs.verify(3)).join()).toContain('is missing here')
  })

  test('verify finds a folder whose name is not the name of its run, such as a copy', async () => {
    renameSync(packs.path(1, ''), join(packs.folder, 'a-copy'))
    expect(await packsAt(packs.folder).verify(3)).toEqual([
      `chain run ${packs.runs[1]} is in a folder named "a-copy"`,
    ])
  })
})

test('verify refuses a missing signature, and a signature by another key, of another pack or in another format', async () => {
  const other = createPublicKey(generateKeyPairSync('ed25519').privateKey)
  const refused = 'manifest.sig does not match the public key'
  expect(await packs.verify(0, other)).toEqual([refused])
  const own = packs.read(0, 'manifest.sig')
  packs.write(0, 'manifest.sig', packs.read(1, 'manifest.sig'))
  expect(await packs.verify(0, keys.publicKey)).toEqual([refused])
  for (const form of [
    `${own}\n`,
    ` ${own}`,
    own.toString().trimEnd(),
    own.toString().replaceAll('=', ''),
    own.toString().replace(/(?<=^.{40})/, '\n'),
    Buffer.from(own.toString(), 'base64'),
    '',
  ]) {
    packs.write(0, 'manifest.sig', form)
    expect(await packs.verify(0)).toEqual([
      'manifest.sig is not a signature in base64, as event-sync writes it',
    ])
  }
  rmSync(packs.path(0, 'manifest.sig'))
  expect(await packs.verify(0, keys.publicKey)).toEqual(['manifest.sig is missing'])
})

test('if the signature is wrong, verify reads nothing else in the pack', async () => {
  rewrite(3, 'agenda.csv', (content) => `${content}x`)
  packs.refresh(3, (manifest) => Object.assign(manifest, { run: 'x', purges: 'x' }))
  expect(await packs.verify(3, keys.publicKey)).toEqual(['manifest.sig does not match the public key'])
  const { links } = await readPacks(packs.folder, keys.publicKey)
  expect(links.map(({ run }) => run)).toEqual(packs.runs.slice(0, 3))
})

test('verify does not read a report that is larger than any report that the product writes', async () => {
  packs.write(3, 'report.html', `${text(3, 'report.html')}${' '.repeat(2_000_000)}`)
  packs.refresh(3)
  expect((await packs.verify(3)).join()).toMatch(
    /^report\.html has \d+ bytes; the most allowed for this file is 2000000$/,
  )
})

describe('known attempts of forgers without the key', () => {
  const CLAIMED = /^purged\.json says that the pack was purged at .*, but it is not signed/m
  const claimPurge = (run: number, last = 3, purgedAt = '2031-04-04T12:00:00.000Z') => {
    const [manifestSha256, lastManifestSha256] = [run, last].map((one) =>
      sha256Of(packs.read(one, 'manifest.json')),
    )
    const said = { purgedAt, purgedBy: 'ada', manifestSha256, lastManifestSha256 }
    packs.write(run, 'purged.json', `${JSON.stringify(said, null, 2)}\n`)
  }
  const verified = async (run: number, key: typeof keys.publicKey | null = keys.publicKey) =>
    (await packs.verify(run, key)).join('\n')

  test('verify finds altered tables in a pack with a purge note, and a purge note in place of the tables', async () => {
    rewrite(3, 'agenda.csv', (content) => content.replace('"Session 101"', '"Session 911"'))
    rewrite(3, 'SHA256SUMS', (sums) =>
      sums.replace(/^\w+(?= {2}agenda)/m, sha256Of(packs.read(3, 'agenda.csv'))),
    )
    claimPurge(3)
    expect(await verified(3)).toMatch(CLAIMED)
    for (const key of [null, keys.publicKey])
      expect(await verified(3, key)).toContain('agenda.csv must not be here: the pack was purged')
    for (const file of packs.files(3))
      if (!/^(?:manifest|details|purged)/.test(file)) rmSync(packs.path(3, file))
    expect(await verified(3)).toMatch(CLAIMED)
    expect(await verified(3, null)).toBe('')
  })

  test('verify finds a false purge note if another pack follows the last pack that the note names', async () => {
    for (const file of packs.files(2))
      if (!/^(?:manifest|details|purged)/.test(file)) rmSync(packs.path(2, file))
    for (const [last, date] of [
      [2, '2031-04-04T12:00:00.000Z'],
      [1, '2999-01-01T00:00:00.000Z'],
    ] as const) {
      claimPurge(2, last, date)
      expect(await verified(2, null)).toMatch(/^purged\.json says that .*, but no later pack confirms that$/)
    }
    // The note now names a last pack that does not exist, so no pack can follow it.
    const others = text(2, 'purged.json').replace(/(?<="lastManifestSha256": ")\w+/, 'f'.repeat(64))
    packs.write(2, 'purged.json', others)
    expect(await verified(2, null)).toMatch(/, but no later pack confirms that$/)
  })

  test('verify finds another time or user in a purge note if a signed pack reports the purge', async () => {
    const sign = (run: number, file: string, to: string) =>
      packs.write(run, to, `${signBytes(null, packs.read(run, file), keys.privateKey).toString('base64')}\n`)
    const purge = { purgedAt: '2031-04-04T12:00:00.000Z', purgedBy: 'ada' }
    const manifestSha256 = sha256Of(packs.read(2, 'manifest.json'))
    const { run } = JSON.parse(text(2, 'manifest.json'))
    packs.refresh(3, (manifest) =>
      Object.assign(manifest, { purges: [{ ...purge, packs: [{ run, manifestSha256 }] }] }),
    )
    sign(3, 'manifest.json', 'manifest.sig')
    claimPurge(2)
    for (const file of packs.files(2))
      if (!/^(?:manifest|details|purged)/.test(file)) rmSync(packs.path(2, file))
    expect(await verified(2)).toBe('')
    for (const other of [{ purgedBy: 'eve' }, { purgedAt: '2031-04-05T12:00:00.000Z' }]) {
      const said = { ...purge, ...other, manifestSha256, lastManifestSha256: manifestSha256 }
      packs.write(2, 'purged.json', `${JSON.stringify(said, null, 2)}\n`)
      expect(await verified(2)).toMatch(CLAIMED)
    }
    claimPurge(2)
    sign(2, 'manifest.json', 'purged.sig')
    expect(await verified(2)).toBe('purged.sig does not match the public key')
    sign(2, 'purged.json', 'purged.sig')
    expect(await verified(2)).toBe('')
    rmSync(packs.path(2, 'purged.sig'))
    const note = text(2, 'purged.json')
    for (const other of [
      note.replace('"purgedBy"', '"purgedBy": "eve",\n  "purgedBy"'),
      note.replace('"purgedBy"', '"reason": "none",\n  "purgedBy"'),
      note.trimEnd(),
    ]) {
      packs.write(2, 'purged.json', other)
      expect(await verified(2)).toBe('purged.json is not a purge note')
    }
    rmSync(packs.path(2, 'purged.json'))
    for (const file of readdirSync(join(original, run)))
      cpSync(join(original, run, file), packs.path(2, file))
    expect(await verified(2)).toBe(
      `purged.json is missing, but run ${packs.runs[3]} says that the pack was purged`,
    )
  })

  test('verify reports a thousand wrong rows as a few rows and their number', async () => {
    const rows = Array.from({ length: 1000 }, (_, at) => `,"r${at}","read",1,2,"true"`)
    rewrite(1, 'reconciliation.csv', (content) => `${content}${rows.join('\r\n')}\r\n`)
    packs.refresh(1)
    const found = (await packs.verify(1)).filter((line) => line.startsWith('reconciliation.csv '))
    expect(found).toHaveLength(51)
    expect(found.at(-1)).toMatch(/^reconciliation\.csv and \d+ more findings$/)
  })

  test('verify finds more figures, or more kinds of rows, than are possible', async () => {
    const many = (row: (at: number) => string) =>
      `${Array.from({ length: 10_001 }, (_, at) => row(at)).join('\r\n')}\r\n`
    await packs.meddle(1, async () => {
      rewrite(1, 'reconciliation.csv', (content) => content + many((at) => `,"r${at}","read",1,,`))
      packs.refresh(1)
      expect(await packs.verify(1)).toEqual(['reconciliation.csv has more than 10000 figures'])
    })
    rewrite(
      1,
      'decisions.csv',
      (content) => content + many((at) => `"agenda","r","i",,"excluded","r${at}",,`),
    )
    packs.refresh(1)
    expect(await packs.verify(1)).toEqual(['decisions.csv has more than 10000 kinds of rows'])
  })

  test('verify finds pipes, links and endless files in place of a purge note', async () => {
    const note = packs.path(2, 'purged.json')
    execFileSync('mkfifo', [note])
    expect(await verified(2)).toBe('purged.json is a link or a folder, not a file')
    rmSync(note)
    symlinkSync('/dev/zero', note)
    expect(await verified(2)).toBe('purged.json is a link or a folder, not a file')
    rmSync(note)
    packs.write(2, 'purged.json', '')
    truncateSync(note, 1e9)
    expect(await verified(2)).toMatch(
      /^purged\.json has 1000000000 bytes; the most allowed for this file is /,
    )
  })
})

// Source: loaders/verify/README.md, section "What shows tampering, and what does not".
describe('what verify cannot see', () => {
  test('verify without the key cannot see a changed value in the last pack if every file was rewritten to fit', async () => {
    rewrite(3, 'agenda.csv', (content) => content.replace('"Session 101"', '"Session 911"'))
    packs.refresh(3)
    expect(await packs.verify(3)).toEqual([])
    expect(await packs.verify(3, keys.publicKey)).not.toEqual([])
  })

  test('verify cannot see that the last packs are missing, or that the only pack in a folder had other packs next to it', async () => {
    for (const run of [3, 2, 1]) rmSync(packs.path(run, ''), { recursive: true })
    expect(await packs.verify(0, keys.publicKey)).toEqual([])
  })
})
