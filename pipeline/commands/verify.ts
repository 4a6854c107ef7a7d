import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Finding } from '../../loaders/audit/verify/finding.ts'
import { type FoundPacks, readManifest, readPacks } from '../../loaders/audit/verify/found-manifest.ts'
import { isWithoutSums, verifyPack } from '../../loaders/audit/verify/verify-pack.ts'
import { ConfigError } from '../config.ts'
import type { GlobalOptions } from './session.ts'

interface Verified {
  readonly pack: string
  readonly run: string | null
  /** Whether a signature was asked for. */
  readonly signed: boolean
  /** Whether the pack has sums; those of a version before 0.2 have none. */
  readonly summed: boolean
  readonly findings: readonly Finding[]
}

/** `event-sync verify DIR [--public-key FILE]`. */
export function addVerifyCommand(program: Command, exit: (code: number) => void): void {
  program
    .command('verify')
    .description('check an audit pack, or all packs of an integration, without a database')
    .argument('<dir>', 'folder of a pack, or of an integration with its packs')
    .option(
      '--public-key <file>',
      'Ed25519 public key in PEM: each manifest must be signed with its private key',
    )
    .addHelpText(
      'after',
      `
Examples:
  event-sync verify out/summit/01985c7e-0000-7000-8000-000000000001
  event-sync verify out/summit --public-key auditors.pem`,
    )
    .action(async (dir: string, options: { readonly publicKey?: string }) => {
      const { json } = program.opts<GlobalOptions>()
      const publicKey = options.publicKey === undefined ? null : readPublicKey(options.publicKey)
      const verified: Verified[] = []
      const { chosen, packs, noPacks } = await packsAt(dir)
      for (const pack of chosen) {
        const findings = await verifyPack(pack, packs, publicKey)
        const { manifest, folder } = pack
        const summed = manifest !== null && !isWithoutSums(manifest)
        verified.push({
          pack: folder,
          run: manifest?.run ?? null,
          signed: publicKey !== null,
          summed,
          findings,
        })
      }
      process.stdout.write(
        json ? `${JSON.stringify({ packs: verified, noPacks }, null, 2)}\n` : describe(verified, noPacks),
      )
      exit(verified.some(({ findings }) => findings.length > 0) ? 1 : 0)
    })
}

/** The pack in a folder, or all in that of an integration; with those beside it. */
async function packsAt(dir: string): Promise<FoundPacks & { readonly chosen: FoundPacks['packs'] }> {
  try {
    // A link to a pack does not stand beside the others.
    const folder = await realpath(resolve(dir))
    const pack = await readManifest(folder)
    if (pack !== null) {
      const { packs } = await readPacks(dirname(folder))
      return { chosen: [pack], packs, noPacks: [] }
    }
    const found = await readPacks(folder)
    if (found.packs.length > 0) return { ...found, chosen: found.packs }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new ConfigError(`${dir} cannot be read${code}`, { cause })
  }
  throw new ConfigError(
    `${dir} is no audit pack, and holds none: a pack is a folder with a manifest.json, such as <output>/<integration>/<run>`,
  )
}

/** @throws ConfigError; what the library says of a key is left out, since it may be the wrong file */
function readPublicKey(path: string): KeyObject {
  const key = parseKey(readKeyFile(path))
  if (key?.asymmetricKeyType === 'ed25519') return key
  throw new ConfigError(
    key === null
      ? `--public-key ${path} cannot be read as a public key in PEM; \`openssl pkey -in signing-key.pem -pubout\` makes it of the private one`
      : `--public-key ${path} is no Ed25519 key`,
  )
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new ConfigError(`--public-key ${path} cannot be read${code}`, { cause })
  }
}

/** Null where it is none. A private key would do, but whoever only checks must not have it. */
function parseKey(pem: string): KeyObject | null {
  if (pem.includes('PRIVATE KEY')) return null
  try {
    return createPublicKey(pem)
  } catch {
    return null
  }
}

function describe(verified: readonly Verified[], noPacks: readonly string[]): string {
  const lines = verified.flatMap(({ pack, run, signed, summed, findings }) => {
    const what = run === null ? pack : `run ${run}`
    if (findings.length === 0)
      return [`ok     ${what}: hashes${summed ? ', rows, sums' : ''}${signed ? ', signature' : ''} and chain`]
    return [`FAULT  ${what}`, ...findings.map(({ file, message }) => `         ${file} ${message}`)]
  })
  for (const name of noPacks)
    lines.push(`–      ${name} is no pack of a run: nothing there says how it ended`)
  const faulty = verified.filter(({ findings }) => findings.length > 0).length
  const end = faulty === 0 ? 'all whole' : `${faulty} not whole`
  return `${lines.join('\n')}\n${verified.length} ${verified.length === 1 ? 'pack' : 'packs'}, ${end}\n`
}
