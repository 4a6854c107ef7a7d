import type { Content } from '../../../sql/tables.ts'
import type { FillCounts } from './fill-counts.ts'
import { type Finding, failed, notCheckable, ok, type Rule } from './findings.ts'
import { countsOf, type Evidence, nounOf, whyNotRead } from './reads.ts'

/** A field of the source that the integration maps, and what to do at the source where it does not arrive. */
export interface MappedField {
  readonly resource: string
  readonly column: string
  readonly name: string
  readonly clause: string | null
  /** Contents that cannot be made without it; nothing is synced where it never comes. */
  readonly requiredFor: readonly Content[]
  readonly optionalFor: readonly Content[]
  readonly sentence: string
  /** Why an optional field may be empty in all records. */
  readonly emptyMeans: string
  readonly todo: string
}

/** A required field that fewer records have is as good as hidden: some accounts let people see their own profile only. */
const LEAST_SHARE = 0.1
/** Of fewer records, any share may be chance. */
const LEAST_RECORDS = 20

export function fieldFindings(
  fields: readonly MappedField[],
  contents: readonly Content[],
  evidence: Evidence,
): readonly Finding[] {
  const isUsed = ({ requiredFor, optionalFor }: MappedField) =>
    [...requiredFor, ...optionalFor].some((content) => contents.includes(content))
  return fields.filter(isUsed).map((field) => {
    const { resource, name, sentence, clause } = field
    const counts = countsOf(evidence, resource)
    const rule: Rule = { id: `${resource}.${name}`, sentence, clause }
    if (counts === null) return notCheckable(rule, whyNotRead(evidence, resource))
    if (counts.records === counts.faults)
      return notCheckable(rule, `no ${nounOf(resource)} came that could be looked at`)
    const needing = field.requiredFor.filter((content) => contents.includes(content))
    return judge(rule, field, counts, needing)
  })
}

function judge(rule: Rule, field: MappedField, counts: FillCounts, needing: readonly Content[]): Finding {
  const noun = nounOf(field.resource)
  const usable = counts.records - counts.faults
  const filled = counts.filled(field.column)
  const unusable = counts.unusable(field.column)
  const isRequired = needing.length > 0
  const required = `required for ${needing.join(', ')}`
  const isRare = isRequired && usable >= LEAST_RECORDS && filled < usable * LEAST_SHARE
  if (filled > 0 && isRare) {
    return failed(rule, `a value in only ${filled} of ${usable} ${noun}; ${required}`, field.todo)
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
    return failed(rule, `${seen}; ${required}`, `see what ${field.name} holds`)
  }
  if (isRequired) {
    return failed(rule, `empty for all ${usable} ${noun}; ${required}, so none would be synced`, field.todo)
  }
  const seen = `empty for all ${usable} ${noun}: ${field.emptyMeans}`
  return notCheckable(rule, seen, `where it should have values: ${field.todo}`)
}
