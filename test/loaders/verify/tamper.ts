import { createHash, type KeyObject } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openChain } from '../../../loaders/verify/chain.ts'
import { readManifest, readPacks } from '../../../loaders/verify/found-manifest.ts'
import { verifyPack } from '../../../loaders/verify/verify-pack.ts'

/** The packs of one integration. A test changes these packs like a person who knows how packs are made. */
export interface Packs {
  readonly folder: string
  /** The folders of the packs, with the oldest run first. */
  readonly runs: readonly string[]
  path(run: number, file: string): string
  read(run: number, file: string): Buffer
  files(run: number): readonly string[]
  write(run: number, file: string, content: string | Buffer): void
  /** Returns the findings of `verify` in one pack, each as `file message`. */
  verify(run: number, key?: KeyObject | null): Promise<readonly string[]>
  /** Computes datapackage.json, details.json, manifest.json and SHA256SUMS again, so that they match the changed files. */
  refresh(run: number, change?: ChangeManifest): void
  /** Runs work that changes a pack, and restores the files of the pack afterwards. */
  meddle<Result>(run: number, work: () => Promise<Result>): Promise<Result>
}

export type ChangeManifest = (manifest: ManifestText, details: ManifestText) => void

/** The parts of a manifest, or of its details, that a test changes like a forger. */
export interface ManifestText {
  files: { name: string; rows: number; bytes: number; sha256: string }[]
  [key: string]: unknown
}

export function packsAt(folder: string): Packs {
  const runs = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
  const path = (run: number, file: string) => join(folder, runs[run] ?? '', file)
  const read = (run: number, file: string) => readFileSync(path(run, file))
  const files = (run: number) => readdirSync(join(folder, runs[run] ?? '')).sort()
  const write = (run: number, file: string, content: string | Buffer) =>
    writeFileSync(path(run, file), content)
  return {
    folder,
    runs,
    path,
    read,
    files,
    write,
    async verify(run, key = null) {
      const pack = readManifest(join(folder, runs[run] ?? ''), key)
      if (pack === null) return ['no manifest']
      const { links, renamings } = await readPacks(folder, key)
      const { findings } = await verifyPack(pack, openChain(links, renamings), key)
      return findings.map(({ file, message }) => `${file} ${message}`)
    },
    refresh(run, change = () => undefined) {
      const manifest: ManifestText = JSON.parse(read(run, 'manifest.json').toString())
      const details: ManifestText = JSON.parse(read(run, 'details.json').toString())
      const measure = (name: string) => {
        const bytes = read(run, name)
        return { bytes: bytes.length, sha256: sha256Of(bytes) }
      }
      const description = JSON.parse(read(run, 'datapackage.json').toString())
      for (const resource of description.resources) {
        const { bytes, sha256 } = measure(resource.path)
        Object.assign(resource, { bytes, hash: `sha256:${sha256}` })
        const named = new Map(resource.schema.fields.map((field: { name: string }) => [field.name, field]))
        const [header = ''] = rowsIn(read(run, resource.path))
        resource.schema.fields = header
          .replace(/^\uFEFF/, '')
          .split(',')
          .map((name) => named.get(name) ?? { name, type: 'string' })
      }
      write(run, 'datapackage.json', `${JSON.stringify(description, null, 2)}\n`)
      for (const file of [...details.files, ...manifest.files]) {
        Object.assign(file, measure(file.name))
        if (file.name.endsWith('.csv')) file.rows = rowsIn(read(run, file.name)).length - 1
      }
      const listed = [...details.files, ...manifest.files].map(({ name }) => name)
      const names = [...new Set(listed), 'manifest.json'].sort()
      change(manifest, details)
      write(run, 'details.json', `${JSON.stringify(details, null, 2)}\n`)
      const ofDetails = manifest.files.find(({ name }) => name === 'details.json')
      if (ofDetails !== undefined) Object.assign(ofDetails, measure('details.json'))
      write(run, 'manifest.json', `${JSON.stringify(manifest, null, 2)}\n`)
      write(run, 'SHA256SUMS', names.map((name) => `${measure(name).sha256}  ${name}\n`).join(''))
    },
    async meddle(run, work) {
      const before = files(run).map((name) => [name, read(run, name)] as const)
      try {
        return await work()
      } finally {
        for (const [name, bytes] of before) write(run, name, bytes)
      }
    },
  }
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Returns the rows of a CSV file, with the header first. The cells in the packs of these tests contain no
 * line breaks.
 */
export function rowsIn(bytes: Buffer): readonly string[] {
  return bytes.toString().trimEnd().split('\r\n')
}

/** Returns the file and the number of every row in the CSV files of a pack. The row numbers start at 1. */
export function rowsOfPack(packs: Packs, run: number): readonly (readonly [file: string, row: number])[] {
  return packs
    .files(run)
    .filter((file) => file.endsWith('.csv'))
    .flatMap((file) =>
      rowsIn(packs.read(run, file))
        .slice(1)
        .map((_, at) => [file, at + 1] as const),
    )
}

export function withoutRow(packs: Packs, run: number, file: string, row: number): void {
  const rows = rowsIn(packs.read(run, file)).toSpliced(row, 1)
  packs.write(run, file, `${rows.join('\r\n')}\r\n`)
}
