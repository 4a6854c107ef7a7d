import type { Content } from '../../sql/tables.ts'
import type { FillCounts } from './fill-counts.ts'
import { type Finding, failed, notCheckable, ok, type Rule } from './findings.ts'
import { countsOf, type Evidence, nounOf, whyNotRead } from './reads.ts'

/** A field of the source that the integration maps, and what to do at the source where it does not arrive. */
export interface MappedField {
  readonly resource: string
  /** Column of the resource's table. */
  readonly column: string
  /** The source's own name for it. */
  readonly name: string
  readonly clause: string
  /** Contents that cannot be made without it; nothing is synced where it never comes. */
  readonly requiredFor: readonly Content[]
  readonly optionalFor: readonly Content[]
  readonly sentence: string
  /** Why an optional field may be empty in all records. */
  readonly emptyMeans: string
  readonly todo: string
}

/**
 * A required field that fewer records have than this share is as good as hidden: some accounts let everybody see
 * their own profile, or that of whoever made the event. Source: design 11, "blackout".
 */
const LEAST_SHARE = 0.1
/** Of fewer records, any share may be chance. */
const LEAST_RECORDS = 20

/** One finding for each field that the integration's contents use. */
export function fieldFindings(
  fields: readonly MappedField[],
  contents: readonly Content[],
  evidence: Evidence,
): readonly Finding[] {
  const isUsed = ({ requiredFor, optionalFor }: MappedField) =>
    [...requiredFor, ...optionalFor].some((content) => contents.includes(content))
  return fields.filter(isUsed).map((field) => {
    const counts = countsOf(evidence, field.resource)
    const rule: Rule = {
      id: `${field.resource}.${field.name}`,
      sentence: field.sentence,
      clause: field.clause,
    }
    const noun = nounOf(field.resource)
    if (counts === null) return notCheckable(rule, whyNotRead(evidence, field.resource))
    const usable = counts.records - counts.faults
    if (usable === 0) return notCheckable(rule, `no ${noun} came that could be looked at`)
    const needing = field.requiredFor.filter((content) => contents.includes(content))
    return judge(rule, field, counts, { noun, usable, needing })
  })
}

function judge(
  rule: Rule,
  field: MappedField,
  counts: FillCounts,
  { noun, usable, needing }: { noun: string; usable: number; needing: readonly Content[] },
): Finding {
  const filled = counts.filled(field.column)
  const unusable = counts.unusable(field.column)
  const isRequired = needing.length > 0
  const isRare = isRequired && usable >= LEAST_RECORDS && filled < usable * LEAST_SHARE
  if (filled > 0 && isRare) {
    const seen = `a value in only ${filled} of ${usable} ${noun}; required for ${needing.join(', ')}`
    return failed(rule, seen, field.todo)
  }
  if (filled > 0) {
    const rest =
      isRequired && filled < usable ? `; those without are not synced as ${needing.join(', ')}` : ''
    const bad = unusable > 0 ? `; in ${unusable} what comes cannot be used` : ''
    return ok(rule, `a value in ${filled} of ${usable} ${noun}${bad}${rest}`)
  }
  if (unusable > 0) {
    const seen = `comes in ${unusable} of ${usable} ${noun}, but never as something that can be used`
    if (!isRequired) return ok(rule, `${seen}; it is left out`)
    return failed(rule, `${seen}; required for ${needing.join(', ')}`, `see what ${field.name} holds`)
  }
  if (isRequired) {
    const seen = `empty for all ${usable} ${noun}; required for ${needing.join(', ')}, so none would be synced`
    return failed(rule, seen, field.todo)
  }
  const seen = `empty for all ${usable} ${noun}: ${field.emptyMeans}`
  return notCheckable(rule, seen, `where it should have values: ${field.todo}`)
}
