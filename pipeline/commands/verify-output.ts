import { basename } from 'node:path'
import { counted } from '../../transforms/texts/counted.ts'
import { visible } from '../runtime/visible.ts'
import type { EvidenceJson, Signature, VerifiedJson } from '../schemas/packs.ts'
import type { Paint } from './colours.ts'
import type { Why } from './quiet.ts'

/** Everything that was verified, with advice about its faults. */
export interface VerifiedAll extends VerifiedJson {
  /** Evidence folders of which the packs are a part. */
  readonly around: readonly string[]
  readonly todo: string
}

const EXTENTS = {
  whole: 'hashes, rows, sums',
  purged: 'purged (its files were deleted and are not checked)',
  manifest: '',
} as const

/** Returns which pack has a fault, and how many other packs have faults; null if all packs are intact. */
export function whyOf({ evidence, packs, todo }: VerifiedAll): Why | null {
  const [own] = evidence?.findings ?? []
  if (evidence !== null && own !== undefined)
    return { what: visible(`${titleOf(evidence)}: ${own.file} ${own.message}`), next: todo }
  const [first, ...others] = packs.filter(({ findings }) => findings.length > 0)
  if (first === undefined) return null
  const { pack, run, integration, findings } = first
  const what = run === null ? pack : `${integration}: run ${run}`
  const [finding] = findings
  const more = others.length === 0 ? '' : `; and ${counted(others.length, 'more pack')}`
  return { what: visible(`${what}: ${finding?.file} ${finding?.message}${more}`), next: todo }
}

const COLOURS = { ok: 'green', FAULT: 'red', '–': 'yellow' } as const

/** Describes the evidence folder itself, in lines like those of its packs. */
function describeEvidence(evidence: EvidenceJson, packs: number, areIntact: boolean): readonly string[] {
  const { begins, after, signature, findings } = evidence
  const what = titleOf(evidence)
  if (findings.length > 0)
    return [
      `FAULT  ${what}`,
      ...findings.map(({ file, message }) => `         ${file} ${message}`),
      ...(packs > 0 ? [] : ['         no pack was checked']),
    ]
  const checked = areIntact ? 'index, files and rows' : 'index and files'
  const end = '         no pack after the period is named: nobody can see if the last packs are missing'
  return [
    `ok     ${what}: ${checked}; ${describeStart(begins, packs)}; ${SIGNATURES[signature]}`,
    ...(after === null ? [end] : []),
  ]
}

function describeStart(begins: string | null, packs: number): string {
  if (begins !== null) return `the chain begins after the manifest with SHA-256 ${begins}`
  return packs > 0 ? 'the chain begins with the first pack' : 'no run landed in the period or before it'
}

const SIGNATURES: Readonly<Record<Signature, string>> = {
  checked: 'signature checked',
  'not checked': 'signature NOT checked',
  none: 'not signed',
}

/** Names an evidence folder. If its index cannot be trusted, only the name of the folder is known. */
function titleOf({ evidence: folder, integration, from, to }: EvidenceJson): string {
  if (integration === null) return `evidence in the folder ${basename(folder)}`
  return `evidence of ${integration}, ${from} to ${to}`
}

/** Describes everything that was verified, one line or more for each pack. */
export function describeVerified(
  { evidence, packs, noPacks, around, todo }: VerifiedAll,
  paint: Paint,
): string {
  const lines = packs.flatMap(({ pack, run, integration, elsewhere, signature, extent, gap, findings }) => {
    const what = run === null ? pack : `run ${run} of ${integration}`
    if (findings.length > 0)
      return [`FAULT  ${what}`, ...findings.map(({ file, message }) => `         ${file} ${message}`)]
    const checked = `${EXTENTS[extent]}${signature === 'checked' ? ', signature' : ''} and chain`
    const around =
      elsewhere === null ? [] : [`         its folder is named ${elsewhere}, not after its integration`]
    return [`ok     ${what}: ${checked}`, ...around, ...describeGap(gap)]
  })
  for (const name of noPacks) lines.push(`–      ${name} is not a finished pack, and was not checked`)
  for (const folder of around)
    lines.push(`–      this folder is part of the evidence folder ${folder}: verify that folder`)
  const signed = [evidence ?? [], packs].flat()
  const unchecked = signed.filter(({ signature }) => signature === 'not checked').length
  if (unchecked > 0)
    lines.push(`–      ${counted(unchecked, 'signature')} not checked: --public-key FILE checks them`)
  const other = packs.reduce((total, { otherLocalTimes }) => total + otherLocalTimes, 0)
  if (other > 0) lines.push(...describeOther(other))
  const faulty = packs.filter(({ findings }) => findings.length > 0).length
  const isFaulty = evidence !== null && evidence.findings.length > 0
  const ofPacks = faulty === 0 ? 'all intact' : `${faulty} not intact; ${todo}`
  const end = isFaulty ? `but the evidence is not intact; ${todo}` : ofPacks
  if (evidence !== null) lines.unshift(...describeEvidence(evidence, packs.length, faulty === 0))
  // Names of files and texts of manifests were chosen by the author of the packs, who may be hostile. Control
  // characters in names and manifests are escaped.
  const painted = lines.map((line) =>
    visible(line).replace(/^(?:ok|FAULT|–)/, (label) => paint(COLOURS[label as keyof typeof COLOURS], label)),
  )
  return `${painted.join('\n')}\n${counted(packs.length, 'pack')}, ${end}\n`
}

/** Describes local times that are not those of this machine: no fault, but a reader may want to know. */
function describeOther(localTimes: number): readonly string[] {
  return [
    `–      ${counted(localTimes, 'local time')} in agenda.csv: the time zone data of this machine says another.`,
    '       A country may have changed its clocks. start_time and end_time, in UTC, do not depend on that',
  ]
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
