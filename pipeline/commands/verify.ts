import { createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { type Finding, SIGNATURE_FILE } from '../../loaders/packs/csv-files/pack-format.ts'
import { type Chain, openChain } from '../../loaders/verify/chain.ts'
import { type EvidencePack, verifyEvidence } from '../../loaders/verify/evidence.ts'
import { EVIDENCE_FILE, EVIDENCE_SIGNATURE_FILE } from '../../loaders/verify/evidence-index.ts'
import type { PublicKeys } from '../../loaders/verify/files.ts'
import { readManifest, readPacks } from '../../loaders/verify/found-manifest.ts'
import { type VerifiedPack, verifyPack } from '../../loaders/verify/verify-pack.ts'
import { describeCode } from '../runtime/not-writable.ts'
import { EXIT } from '../runtime/report.ts'
import type { Signature, Verified } from '../schemas/packs.ts'
import { UserError } from '../settings/errors.ts'
import { CHECK_PATH, readText } from './arguments.ts'
import { paintFor } from './colours.ts'
import { type Call, defineCommand } from './define-command.ts'
import type { CommandIo } from './io.ts'
import { liveFor } from './session.ts'
import { describeVerified, type VerifiedAll, whyOf } from './verify-output.ts'

const HELP = `
Examples:
  event-sync verify out/summit/01985c7e-0000-7000-8000-000000000001
  event-sync verify out/summit --public-key auditors.pem
  event-sync verify out                     all integrations in it
  event-sync verify evidence-q1 --public-key auditors.pem    a folder of \`event-sync evidence\``

export const addVerifyCommand = defineCommand({
  name: 'verify',
  summary: 'check an audit pack, all packs of an integration, or of all, or evidence, without a database',
  help: HELP,
  exits: ['failed', 'usage'],
  args: [
    new Argument(
      '<dir>',
      'folder of a pack, of an integration with its packs, the output folder of all, or an evidence folder',
    ),
  ],
  options: [
    new Option(
      '--public-key <file>',
      'Ed25519 public keys in PEM; may be given several times: each manifest must be signed with one of their private keys',
    ).argParser((file: string, before: readonly string[] = []) => [...before, file]),
    new Option(
      '--follows <sha256>',
      'SHA-256 of a manifest whose pack is not here; the chain may begin after it',
    ).argParser(toSha256),
  ],
  async run({ io, options, global }: Call<VerifyOptions>, dir: string) {
    const publicKey = options.publicKey?.flatMap((file) => readPublicKeys(io, file)) ?? null
    const live = liveFor(io, global)
    const onPack = (number: number, of: number, run: string) => live?.show([`[${number}/${of}] pack ${run}`])
    const verified =
      (await verifiedEvidence(io, dir, publicKey, onPack)) ??
      (await verifiedPacks(io, dir, publicKey, options.follows ?? null, onPack))
    live?.erase()
    const { evidence, packs, noPacks } = verified
    const isFaulty = [evidence ?? [], packs].flat().some(({ findings }) => findings.length > 0)
    return {
      json: { evidence, packs, noPacks },
      text: describeVerified(verified, paintFor(io.stdout, global)),
      code: isFaulty ? EXIT.failed : EXIT.ok,
      why: whyOf(verified),
    }
  },
})

interface VerifyOptions {
  readonly publicKey?: readonly string[]
  readonly follows?: string
}

function toSha256(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text
  throw new InvalidArgumentError('It must be the SHA-256 of a manifest: 64 digits 0-9 and a-f.')
}

type OnPack = (number: number, of: number, run: string) => void

async function verifiedPacks(
  io: CommandIo,
  dir: string,
  publicKey: PublicKeys | null,
  follows: string | null,
  onPack: OnPack,
): Promise<VerifiedAll> {
  const packs: Verified[] = []
  /** Findings about packs in a folder that does not have the id of their integration as its name. */
  const misnamed = new Set<Finding>()
  const places = await packsAt(io, dir, publicKey, follows)
  const noPacks = places.flatMap((one) => one.noPacks)
  const chosen = places.flatMap(({ chosen, ...of }) => chosen.map((pack) => ({ pack, ...of })))
  for (const [index, { pack, chain, place }] of chosen.entries()) {
    onPack(index + 1, chosen.length, basename(pack))
    const found = readManifest(pack, publicKey)
    if (found === null) continue
    const { findings: own, ...verified } = await verifyPack(found, chain, publicKey)
    const { integration = null } = found.manifest ?? {}
    const isElsewhere = integration !== null && !chain.isSame(integration, place.name)
    const message = `belongs to integration ${integration}, but is in the folder of ${place.name}`
    const wrongName = { file: 'manifest.json', message }
    if (isElsewhere && place.of === 'integration') misnamed.add(wrongName)
    const findings = misnamed.has(wrongName) ? [wrongName, ...own] : own
    const elsewhere = isElsewhere && place.of === 'pack' ? place.name : null
    packs.push(toVerified(found, { ...verified, findings }, publicKey, elsewhere))
  }
  const around = [...new Set(places.flatMap((one) => one.around ?? []))]
  const [first] = around
  const findings = packs.flatMap((pack) => pack.findings)
  const isMisnamed = findings.every((one) => misnamed.has(one))
  const isMoved = findings.every((one) => misnamed.has(one) || one.file === 'chain')
  const repair = isMisnamed ? RENAME_FOLDER : isMoved ? MOVE_PACKS : REPAIR
  const todo = todoOf(findings, 'pack', first === undefined ? repair : `verify the evidence folder ${first}`)
  return { evidence: null, packs, noPacks, around, todo }
}

/** Returns what to do about findings. @param otherwise advice for findings of other kinds */
function todoOf(findings: readonly Finding[], what: 'pack' | 'evidence', otherwise: string): string {
  // Packs that follow a pack with a wrong signature have faults of the chain, too.
  if (findings.some(({ file }) => file.endsWith('.sig')))
    return `ask the owner which public keys are in use; if the key is right, do not rely on this ${what}`
  const isStray = ({ file, message }: Finding) =>
    message.startsWith('is not in ') && STRAY.test(basename(file))
  return findings.every(isStray)
    ? 'delete the files that an operating system has left here, and verify again'
    : otherwise
}

/** Files that an operating system makes when somebody looks at a folder. */
const STRAY = /^(?:\.DS_Store|\._.*|Thumbs\.db|desktop\.ini)$/s

function toVerified(
  { folder: pack, manifest }: Pick<EvidencePack, 'folder' | 'manifest'>,
  { extent, otherLocalTimes, findings }: VerifiedPack,
  publicKey: PublicKeys | null,
  elsewhere: string | null = null,
): Verified {
  const { run = null, integration = null, format = null, gap: lost } = manifest ?? {}
  const gap = lost?.packs.map((one) => one.run) ?? []
  const signature = signatureOf(join(pack, SIGNATURE_FILE), publicKey)
  return { pack, run, integration, format, elsewhere, signature, gap, extent, otherLocalTimes, findings }
}

function signatureOf(path: string, publicKey: PublicKeys | null): Signature {
  if (publicKey !== null) return 'checked'
  return existsSync(path) ? 'not checked' : 'none'
}

/** Verifies an evidence folder; returns null if the folder is none. */
async function verifiedEvidence(
  io: CommandIo,
  dir: string,
  publicKey: PublicKeys | null,
  onPack: OnPack,
): Promise<VerifiedAll | null> {
  const folder = resolve(io.cwd, dir)
  const verified = await verifyEvidence(folder, publicKey, onPack).catch((cause: unknown) => {
    throw new UserError('file', `${dir} cannot be read${describeCode(cause)}`, CHECK_PATH, { cause })
  })
  if (verified === null) return null
  const { index, findings } = verified
  const { integration = null, from = null, to = null, before = null, after = null } = index ?? {}
  const begins = before?.manifestSha256 ?? null
  const signature = signatureOf(join(folder, EVIDENCE_SIGNATURE_FILE), publicKey)
  const packs = verified.packs.map((pack) => toVerified(pack, pack, publicKey))
  const all = [...findings, ...packs.flatMap((pack) => pack.findings)]
  return {
    evidence: { evidence: folder, integration, from, to, begins, after, signature, findings },
    packs,
    noPacks: [],
    around: [],
    todo: todoOf(all, 'evidence', REPAIR_EVIDENCE),
  }
}

interface Packs {
  readonly chosen: readonly string[]
  readonly chain: Chain
  readonly place: { readonly of: 'integration' | 'pack'; readonly name: string }
  readonly noPacks: readonly string[]
  /** The evidence folder of which the packs are a part; null if they are not part of evidence. */
  readonly around: string | null
}

/**
 * Finds the packs in a folder, each with the other packs beside it. The folder is a pack, or the folder of an
 * integration, or a folder with folders of integrations.
 *
 * @returns the packs by place. A place is the folder of an integration, or the folder around a pack, which
 *   can have any name.
 */
async function packsAt(
  io: CommandIo,
  dir: string,
  publicKey: PublicKeys | null,
  follows: string | null,
): Promise<readonly Packs[]> {
  try {
    // If the user gives a link to a pack, the other packs are beside the target of the link.
    const folder = await realpath(resolve(io.cwd, dir))
    if (readManifest(folder, publicKey) !== null) {
      const { links, renamings } = await readPacks(dirname(folder), publicKey, follows)
      const place = { of: 'pack', name: basename(dirname(folder)) } as const
      const around = evidenceAround(dirname(folder))
      return [{ chosen: [folder], chain: openChain(links, renamings), place, noPacks: [], around }]
    }
    const found = await packsIn(folder, publicKey, follows)
    if (found !== null) return [found]
    const entries = await readdir(folder, { withFileTypes: true })
    const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
    const all = await Promise.all(below.sort().map((one) => packsIn(one, publicKey, follows)))
    const places = all.filter((one) => one !== null)
    if (places.length > 0) return places
  } catch (cause) {
    throw new UserError('file', `${dir} cannot be read${describeCode(cause)}`, CHECK_PATH, { cause })
  }
  throw new UserError(
    'usage',
    `${dir} is neither an audit pack nor evidence, and holds no packs`,
    'name a folder with a manifest.json, such as <output>/<integration>/<run>, the folder of an integration, the output folder, or a folder of `event-sync evidence`',
  )
}

/** Returns the evidence folder around the folder of an integration; null if there is none. */
function evidenceAround(folder: string): string | null {
  const around = dirname(folder)
  const files = [EVIDENCE_FILE, EVIDENCE_SIGNATURE_FILE]
  return files.some((name) => existsSync(join(around, name))) ? around : null
}

/** Returns all packs in the folder of an integration; null if the folder has no packs. */
async function packsIn(
  folder: string,
  publicKey: PublicKeys | null,
  follows: string | null,
): Promise<Packs | null> {
  const { folders, links, noPacks, renamings } = await readPacks(folder, publicKey, follows)
  if (folders.length === 0) return null
  const place = { of: 'integration', name: basename(folder) } as const
  const around = evidenceAround(folder)
  return { chosen: folders, chain: openChain(links, renamings), place, noPacks, around }
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

const REPAIR = 'restore from a backup, or write again with `event-sync export RUN`'

const RENAME_FOLDER =
  'the folder does not have the id of the integration as its name: rename the folder, or pass it under its own name'

const MOVE_PACKS =
  'put all packs of the integration into a folder with its id, each once, in a folder with the id of its run; if one is missing or was changed, restore it from a backup, or write it again with `event-sync export RUN`'

const REPAIR_EVIDENCE = 'ask its owner to make it again with `event-sync evidence`'
