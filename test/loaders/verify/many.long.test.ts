import { generateKeyPairSync } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MAX_MANIFEST_BYTES } from '../../../loaders/packs/csv-files/pack-format.ts'
import { CLI, start } from '../../pipeline/commands/command-line.ts'
import { useFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import { chains } from './chains.ts'
import { type ManifestText, packsAt, sha256Of } from './tamper.ts'

// Tests the processor time and the memory of `verify`, as its process reports them at its end.

const database = useDatabase('pglite')
const folder = useFolder()

// Reads the peak memory from /proc, because the peak in `resourceUsage` starts at the peak of the parent
// process.
const SAY_COST = `
  import { readFileSync } from 'node:fs'
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage()
    const [, kilobytes] = /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))
    process.stderr.write(JSON.stringify({ seconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: kilobytes / 1024 }))
  })`

async function verify(packs: string) {
  const say = `data:text/javascript,${encodeURIComponent(SAY_COST)}`
  const { code, stdout, stderr } = await start(process.execPath, ['--import', say, CLI, 'verify', packs], {
    folder: folder(),
  }).ended
  const cost: { readonly seconds: number; readonly megabytes: number } = JSON.parse(stderr)
  console.log(`verify ${stdout.split('\n').at(-2)}: ${stderr}`)
  return { code, stdout, ...cost }
}

test('verify checks ten thousand packs in less than a minute of CPU time and with less than 100 MB', {
  timeout: 900_000,
}, async () => {
  const make = chains['Source A, signed']
  const { privateKey } = generateKeyPairSync('ed25519')
  const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const made = packsAt(
    (await make?.({ database: database(), output: join(folder(), 'made'), signingKey })) ?? '',
  )
  const many = join(folder(), 'summit')
  copyOften(made.path(1, ''), many, 10_000)
  const { megabytes: before } = await verify(made.folder)
  const { code, stdout, seconds, megabytes } = await verify(many)
  expect([code, stdout.split('\n').at(-2)]).toEqual([0, '10000 packs, all intact'])
  expect(seconds).toBeLessThan(60)
  // A measurement gave 77 MB, of which the young generation of the heap may have 16 to 48 MB.
  expect(megabytes - before).toBeLessThan(100)
})

/**
 * Makes a chain of packs from copies of one pack; the copies differ only in their run. The files of the
 * copies are hard links, as they are after runs without changes.
 */
function copyOften(pack: string, to: string, times: number): void {
  const [manifest, details] = ['manifest.json', 'details.json'].map(
    (list): ManifestText => JSON.parse(readFileSync(join(pack, list), 'utf8')),
  )
  if (manifest === undefined || details === undefined) throw new Error('a pack has both')
  const names = [...details.files, ...manifest.files].map(({ name }) => name)
  const operations = manifest.files.find(({ name }) => name === 'operations.jsonl')
  const [header = '', ...rest] = readFileSync(join(pack, 'operations.jsonl'), 'utf8').trimEnd().split('\n')
  let previousManifestSha256: string | null = null
  for (let at = 0; at < times; at += 1) {
    const run = `01b0fda0-0000-7000-8000-${String(at).padStart(12, '0')}`
    const folder = join(to, run)
    mkdirSync(folder, { recursive: true })
    for (const name of names) if (name !== 'operations.jsonl') linkSync(join(pack, name), join(folder, name))
    const lines = [JSON.stringify({ ...JSON.parse(header), run }), ...rest.slice(0, -1), '']
    const body = lines.join('\n')
    const trailer = { ...JSON.parse(rest.at(-1) ?? ''), sha256: sha256Of(Buffer.from(body)) }
    const sent = Buffer.from(`${body}${JSON.stringify(trailer)}\n`)
    Object.assign(operations ?? {}, { bytes: sent.length, sha256: sha256Of(sent) })
    Object.assign(manifest, { run, previousManifestSha256 })
    const text = `${JSON.stringify(manifest, null, 2)}\n`
    previousManifestSha256 = sha256Of(Buffer.from(text))
    const sums = [
      ...details.files,
      ...manifest.files,
      { name: 'manifest.json', sha256: previousManifestSha256 },
    ]
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    for (const [name, content] of [
      ['operations.jsonl', sent],
      ['manifest.json', text],
      ['SHA256SUMS', sums.join('')],
    ] as const)
      writeFileSync(join(folder, name), content)
  }
}

describe('a forged manifest, or its details, cost no more memory than their bytes', () => {
  const WHOLE = {
    integration: 'summit',
    run: '01b0fda0-0000-7000-8000-000000000000',
    planHash: null,
    format: 1,
    personalData: 'full',
    previousManifestSha256: null,
    files: [] as readonly unknown[],
  }
  const DETAILS = {
    platform: { type: 'http' },
    counts: null,
    certificates: [] as readonly unknown[],
    requests: [] as readonly unknown[],
    files: [] as readonly unknown[],
  }
  const filled = (element: unknown, bytes: number) =>
    Array.from({ length: Math.floor((MAX_MANIFEST_BYTES - 2000) / bytes) }, () => element)
  const certificate = {
    resource: 'a',
    certified: true,
    requests: 0,
    elements: 0,
    distinctIds: null,
    declared: null,
    end: null,
    detail: '',
  }
  test.each([
    ['faults alone', { requests: filled({}, 9) }],
    [
      'faults by name',
      {
        counts: {
          changes: Object.fromEntries(filled('', 24).map((_, at) => [`r${at}`, ''])),
        },
      },
    ],
    ['requests', { requests: filled({ resource: 'a', elements: 0 }, 64) }],
    ['certificates', { certificates: filled(certificate, 232) }],
    ['purges', { purges: filled({ purgedAt: '', purgedBy: '', packs: [] }, 86) }],
    [
      'files',
      {
        files: filled(null, 224).map((_, at) => ({
          name: `f${at}`,
          rows: 0,
          bytes: 0,
          sha256: 'a'.repeat(64),
        })),
      },
    ],
  ])('%s', { timeout: 300_000 }, async (_, more) => {
    const pack = join(folder(), 'summit', WHOLE.run)
    mkdirSync(pack, { recursive: true })
    const toText = (value: object) => `${JSON.stringify(value, null, 2)}\n`
    const details = toText({ ...DETAILS, ...more })
    expect(details.length).toBeLessThanOrEqual(MAX_MANIFEST_BYTES)
    writeFileSync(join(pack, 'details.json'), details)
    const file = {
      name: 'details.json',
      rows: 0,
      bytes: details.length,
      sha256: sha256Of(Buffer.from(details)),
    }
    const text = toText({ ...WHOLE, files: [file], ...more })
    expect(text.length).toBeLessThanOrEqual(MAX_MANIFEST_BYTES)
    writeFileSync(join(pack, 'manifest.json'), text)
    const { code, seconds } = await verify(join(folder(), 'summit'))
    expect(code).toBe(1)
    expect(seconds).toBeLessThan(20)
  })
})
