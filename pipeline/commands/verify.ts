import { createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Argument, Option } from 'commander'
import { SIGNATURE_FILE } from '../../loaders/packs/csv-files/pack-format.ts'
import { type Chain, openChain } from '../../loaders/verify/chain.ts'
import type { PublicKeys } from '../../loaders/verify/files.ts'
import { readManifest, readPacks } from '../../loaders/verify/found-manifest.ts'
import { type VerifiedPack, verifyPack } from '../../loaders/verify/verify-pack.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { describeCode } from '../runtime/not-writable.ts'
import { EXIT } from '../runtime/report.ts'
import { visible } from '../runtime/visible.ts'
import { UserError } from '../settings/errors.ts'
import { CHECK_PATH, readText } from './arguments.ts'
import { type Paint, paintFor } from './colours.ts'
import { type Call, defineCommand } from './define-command.ts'
import type { CommandIo } from './io.ts'
import type { Why } from './quiet.ts'
import { liveFor } from './session.ts'

interface Verified extends VerifiedPack {
  readonly pack: string
  readonly run: string | null
  readonly integration: string | null
  /** Format version in the pack's manifest; null if no manifest can be read. */
  readonly format: number | null
  /**
   * For a pack that was verified alone: the name of the folder around it, if that name is not the
   * integration's id. Otherwise null.
   */
  readonly elsewhere: string | null
  /** `not checked` means that the pack has a signature, but the user gave no public key. */
  readonly signature: 'checked' | 'not checked' | 'none'
  /** Runs whose packs exist although the database did not know these runs when it wrote this pack. */
  readonly gap: readonly string[]
}

export interface VerifiedJson {
  readonly packs: readonly Verified[]
  /** Folders beside the packs that do not contain a pack. */
  readonly noPacks: readonly string[]
}

const HELP = `
Examples:
  event-sync verify out/summit/01985c7e-0000-7000-8000-000000000001
  event-sync verify out/summit --public-key auditors.pem
  event-sync verify out                     all integrations in it`

export const addVerifyCommand = defineCommand({
  name: 'verify',
  summary: 'check an audit pack, all packs of an integration, or of all, without a database',
  help: HELP,
  exits: ['failed', 'usage'],
  args: [
    new Argument('<dir>', 'folder of a pack, of an integration with its packs, or the output folder of all'),
  ],
  options: [
    new Option(
      '--public-key <file>',
      'Ed25519 public keys in PEM; may be given several times: each manifest must be signed with one of their private keys',
    ).argParser((file: string, before: readonly string[] = []) => [...before, file]),
  ],
  async run({ io, options, global }: Call<{ readonly publicKey?: readonly string[] }>, dir: string) {
    const publicKey = options.publicKey?.flatMap((file) => readPublicKeys(io, file)) ?? null
    const packs: Verified[] = []
    const places = await packsAt(io, dir, publicKey)
    const noPacks = places.flatMap((one) => one.noPacks)
    const chosen = places.flatMap(({ chosen, ...of }) => chosen.map((pack) => ({ pack, ...of })))
    const live = liveFor(io, global)
    for (const [index, { pack, chain, place }] of chosen.entries()) {
      live?.show([`[${index + 1}/${chosen.length}] pack ${basename(pack)}`])
      const found = readManifest(pack, publicKey)
      if (found === null) continue
      const { findings: own, extent } = await verifyPack(found, chain, publicKey)
      const { run = null, integration = null, gap: lost } = found.manifest ?? {}
      const isElsewhere = integration !== null && !chain.isSame(integration, place.name)
      const message = `belongs to integration ${integration}, but is in the folder of ${place.name}`
      const isFault = isElsewhere && place.of === 'integration'
      const findings = isFault ? [{ file: 'manifest.json', message }, ...own] : own
      const format = found.manifest?.format ?? null
      const gap = lost?.packs.map((one) => one.run) ?? []
      const elsewhere = isElsewhere && place.of === 'pack' ? place.name : null
      const signature =
        publicKey !== null ? 'checked' : existsSync(join(pack, SIGNATURE_FILE)) ? 'not checked' : 'none'
      packs.push({ pack, run, integration, format, elsewhere, signature, gap, extent, findings })
    }
    const code = packs.some(({ findings }) => findings.length > 0) ? EXIT.failed : EXIT.ok
    live?.erase()
    const text = describe(packs, noPacks, paintFor(io.stdout, global))
    return { json: { packs, noPacks }, text, code, why: whyOf(packs) }
  },
})

interface Packs {
  readonly chosen: readonly string[]
  readonly chain: Chain
  readonly place: { readonly of: 'integration' | 'pack'; readonly name: string }
  readonly noPacks: readonly string[]
}

/**
 * Finds the packs in a folder, each with the other packs beside it. The folder is a pack, or the folder of an
 * integration, or a folder with folders of integrations.
 *
 * @returns the packs by place. A place is the folder of an integration, or the folder around a pack, which
 *   can have any name.
 */
async function packsAt(io: CommandIo, dir: string, publicKey: PublicKeys | null): Promise<readonly Packs[]> {
  try {
    // If the user gives a link to a pack, the other packs are beside the target of the link.
    const folder = await realpath(resolve(io.cwd, dir))
    if (readManifest(folder, publicKey) !== null) {
      const { links, renamings } = await readPacks(dirname(folder), publicKey)
      const place = { of: 'pack', name: basename(dirname(folder)) } as const
      return [{ chosen: [folder], chain: openChain(links, renamings), place, noPacks: [] }]
    }
    const found = await packsIn(folder, publicKey)
    if (found !== null) return [found]
    const entries = await readdir(folder, { withFileTypes: true })
    const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
    const all = await Promise.all(below.sort().map((one) => packsIn(one, publicKey)))
    const places = all.filter((one) => one !== null)
    if (places.length > 0) return places
  } catch (cause) {
    throw new UserError('file', `${dir} cannot be read${describeCode(cause)}`, CHECK_PATH, { cause })
  }
  throw new UserError(
    'usage',
    `${dir} is not an audit pack and holds none`,
    'name a folder with a manifest.json, such as <output>/<integration>/<run>, the folder of an integration, or the output folder',
  )
}

/** Returns all packs in the folder of an integration; null if the folder has no packs. */
async function packsIn(folder: string, publicKey: PublicKeys | null): Promise<Packs | null> {
  const { folders, links, noPacks, renamings } = await readPacks(folder, publicKey)
  if (folders.length === 0) return null
  const place = { of: 'integration', name: basename(folder) } as const
  return { chosen: folders, chain: openChain(links, renamings), place, noPacks }
}

/**
 * Reads public keys from a PEM file. The error message of the library is left out: if the user gave the wrong
 * file, the message could show a secret.
 *
 * @throws UserError if the file cannot be read or contains anything but Ed25519 public keys
 */
function readPublicKeys(io: CommandIo, path: string): readonly KeyObject[] {
  const text = readText(io.cwd, path, `--public-key ${path}`)
  const keys = (text.match(/-----BEGIN [^-]+-----[^-]*-----END [^-]+-----/g) ?? [text]).map(parseKey)
  if (keys.every((key) => key?.asymmetricKeyType === 'ed25519')) return keys.filter((key) => key !== null)
  const what = keys.includes(null) ? 'cannot be read as a public key in PEM' : 'is not an Ed25519 key'
  const todo = '`openssl pkey -in signing-key.pem -pubout` derives it from the private key'
  throw new UserError('file', `--public-key ${path} ${what}`, todo)
}

/**
 * Returns null if the text is not a public key. A private key would also work. A private key is rejected,
 * because a person who only verifies packs must not have it.
 */
function parseKey(pem: string): KeyObject | null {
  if (pem.includes('PRIVATE KEY')) return null
  try {
    return createPublicKey(pem)
  } catch {
    return null
  }
}

const EXTENTS = {
  whole: 'hashes, rows, sums',
  purged: 'purged (its files were deleted and are not checked)',
  manifest: '',
} as const

const REPAIR = 'restore from a backup, or write again with `event-sync export RUN`'

/** Returns which pack has a fault, and how many other packs have faults; null if all packs are intact. */
function whyOf(verified: readonly Verified[]): Why | null {
  const [first, ...others] = verified.filter(({ findings }) => findings.length > 0)
  if (first === undefined) return null
  const { pack, run, integration, findings } = first
  const what = run === null ? pack : `${integration}: run ${run}`
  const [finding] = findings
  const more = others.length === 0 ? '' : `; and ${counted(others.length, 'more pack')}`
  return { what: visible(`${what}: ${finding?.file} ${finding?.message}${more}`), next: REPAIR }
}

const COLOURS = { ok: 'green', FAULT: 'red', '–': 'yellow' } as const

function describe(verified: readonly Verified[], noPacks: readonly string[], paint: Paint): string {
  const lines = verified.flatMap(
    ({ pack, run, integration, elsewhere, signature, extent, gap, findings }) => {
      const what = run === null ? pack : `run ${run} of ${integration}`
      if (findings.length > 0)
        return [`FAULT  ${what}`, ...findings.map(({ file, message }) => `         ${file} ${message}`)]
      const checked = `${EXTENTS[extent]}${signature === 'checked' ? ', signature' : ''} and chain`
      const around =
        elsewhere === null ? [] : [`         its folder is named ${elsewhere}, not after its integration`]
      return [`ok     ${what}: ${checked}`, ...around, ...describeGap(gap)]
    },
  )
  for (const name of noPacks) lines.push(`–      ${name} is not a finished pack, and was not checked`)
  const unchecked = verified.filter(({ signature }) => signature === 'not checked').length
  if (unchecked > 0)
    lines.push(`–      ${counted(unchecked, 'signature')} not checked: --public-key FILE checks them`)
  const faulty = verified.filter(({ findings }) => findings.length > 0).length
  const end = faulty === 0 ? 'all intact' : `${faulty} not intact; ${REPAIR}`
  // Names of files and texts of manifests were chosen by the author of the packs, who may be hostile. Control
  // characters in names and manifests are escaped.
  const painted = lines.map((line) =>
    visible(line).replace(/^(?:ok|FAULT|–)/, (label) => paint(COLOURS[label as keyof typeof COLOURS], label)),
  )
  return `${painted.join('\n')}\n${counted(verified.length, 'pack')}, ${end}\n`
}

/**
 * Describes a gap: earlier runs that the database did not know when it wrote the pack. A restored or new
 * database does not have the runs of earlier packs. The first pack that a restored or new database writes
 * lists these runs.
 */
function describeGap(gap: readonly string[]): readonly string[] {
  const [first] = gap
  if (first === undefined) return []
  const which = gap.length === 1 ? `run ${first}` : `${gap.length} runs, ${first} to ${gap.at(-1)}`
  return [`         gap: the database that wrote it did not know ${which}`]
}
