import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import type { Content } from '../../../sql/tables.ts'
import type { ReadContext } from '../../../transforms/declare/column.ts'
import type { DeclaredContent } from '../../../transforms/declare/content.ts'
import { type ColumnOf, keyIn } from '../../../transforms/declare/resource.ts'
import type { AnyTransform } from '../../../transforms/declare/source.ts'
import { isJsonObject, type Json } from '../../../transforms/rules/values.ts'
import type { FillCounts } from './fill-counts.ts'
import { type ReadConfig, readContextOf } from './read-record.ts'
import {
  type Answers,
  countsOf,
  type Evidence,
  failed,
  judgeAnswers,
  notCheckable,
  nounOf,
  ok,
  type Rule,
  type RuleResult,
  recordsOf,
  type SourceWords,
  whyNotRead,
} from './rule-result.ts'
import type { SourceResource } from './source.ts'
import { judgeZones } from './zones.ts'

/** A field of the source that becomes a platform field, and what the user can do if no record has a value. */
export interface MappedField {
  readonly resource: string
  readonly column: string
  readonly name: string
  readonly clause: string | null
  /**
   * Contents whose items all need this field. If no record has a value in this field, none of these items is
   * synced.
   */
  readonly requiredFor: readonly Content[]
  readonly optionalFor: readonly Content[]
  readonly sentence: string
  /** Text that says why an optional field may be empty in all records. */
  readonly emptyMeans: string
  readonly todo: string
}

/**
 * If a smaller part of the records has a required field, the field is treated as hidden: some accounts let
 * people see only their own profile.
 */
const LEAST_SHARE = 0.1
/** If there are fewer records than this, only few values may be chance. */
const LEAST_RECORDS = 20

export function judgeFields(
  fields: readonly MappedField[],
  contents: readonly Content[],
  evidence: Evidence,
): readonly RuleResult[] {
  const isUsed = ({ requiredFor, optionalFor }: MappedField) =>
    [...requiredFor, ...optionalFor].some((content) => contents.includes(content))
  return fields.filter(isUsed).map((field) => {
    const { resource, name, sentence, clause } = field
    const counts = countsOf(evidence, resource)
    const rule: Rule = { id: `${resource}.${name}`, sentence, clause }
    if (counts === null) return notCheckable(rule, whyNotRead(evidence, resource))
    if (counts.records === counts.faults)
      return notCheckable(rule, `no usable ${nounOf(resource)} were returned`)
    const needing = field.requiredFor.filter((content) => contents.includes(content))
    return judge(rule, field, counts, needing)
  })
}

function judge(rule: Rule, field: MappedField, counts: FillCounts, needing: readonly Content[]): RuleResult {
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
    const bad = unusable > 0 ? `; unusable in ${unusable}` : ''
    return ok(rule, `a value in ${filled} of ${usable} ${noun}${bad}${rest}`)
  }
  if (unusable > 0) {
    const seen = `present in ${unusable} of ${usable} ${noun}, but never usable`
    if (!isRequired) return ok(rule, `${seen}; it is left out`)
    return failed(rule, `${seen}; ${required}`, `check the values of ${field.name}`)
  }
  if (isRequired) {
    return failed(rule, `empty for all ${usable} ${noun}; ${required}, so none would be synced`, field.todo)
  }
  const seen = `empty for all ${usable} ${noun}: ${field.emptyMeans}`
  return notCheckable(rule, seen, `if it should have values: ${field.todo}`)
}

export type FieldWords = Pick<MappedField, 'clause' | 'sentence' | 'emptyMeans' | 'todo'>

/**
 * Lists the fields of a source that become platform fields, for each resource.
 *
 * @param words makes the texts about a field from its resource, its name at the source, and the option that
 *   can name another field
 */
export function mappedFields(
  { resources, contents, people }: AnyTransform,
  context: ReadContext,
  words: (resource: string, name: string, option: string | null) => FieldWords,
): readonly MappedField[] {
  return resources.flatMap((resource) =>
    Object.values(resource.columns).flatMap((column) => {
      const isOwnId = resource.name === people.resource && column.name === people.ownId
      const requiredFor = contentsWhere(contents, (content) => needs(content, column))
      const optionalFor = contentsWhere(
        contents,
        (content) =>
          !requiredFor.includes(content.content) &&
          (uses(content, column) || (isOwnId && content.records === resource)),
      )
      if (requiredFor.length + optionalFor.length === 0) return []
      const key = column.keys.find((one) => one === column.name) ?? column.keys[0] ?? column.name
      const name = keyIn(key, context)
      const option = typeof key === 'string' ? null : `source.fields.${key.option}`
      const said = words(resource.name, name, option)
      return [{ resource: resource.name, column: column.name, name, requiredFor, optionalFor, ...said }]
    }),
  )
}

function contentsWhere(
  contents: AnyTransform['contents'],
  isOne: (content: DeclaredContent<never>) => boolean,
): readonly Content[] {
  return contents.filter(isOne).map(({ content }) => content)
}

function isSame(one: ColumnOf, other: ColumnOf): boolean {
  return one.table === other.table && one.name === other.name
}

/** Returns true if an item can be made only if the column has a value. */
function needs({ fields, unique, uniqueId }: DeclaredContent<never>, column: ColumnOf): boolean {
  return (
    (uniqueId.isMissing !== undefined && isSame(unique, column)) ||
    Object.values(fields).some(
      ({ isMissing, from }) =>
        isMissing !== undefined && from.some((origin) => isSame(origin.column, column)),
    )
  )
}

function uses({ fields, namedBy }: DeclaredContent<never>, column: ColumnOf): boolean {
  return (
    (namedBy !== null && isSame(namedBy.column, column)) ||
    Object.values(fields).some(({ from }) => from.some((origin) => isSame(origin.column, column)))
  )
}

const WORDS: SourceWords = {
  reader: 'the reader',
  access: {
    rule: { id: 'access', sentence: 'the source lets the integration read', clause: null },
    kept: 'records are returned',
    todo: 'compare the credentials of the integration, if it needs any, with those of the source',
  },
  event: {
    rule: { id: 'event', sentence: 'the event exists', clause: null },
    kept: 'the event is known',
    todo: 'check source.eventId, then source.url',
  },
  empty: (resource, rule) =>
    notCheckable(rule, `no ${nounOf(resource)} were returned: the event seems to have none yet`),
}

/**
 * Checks the answers of a source against its declaration. The function is for sources without rules of their
 * own for setting up the account.
 */
export function judgeDeclared(
  { title, transform }: { readonly title: string; readonly transform: AnyTransform },
  config: ReadConfig,
  contents: readonly Content[],
  answers: Answers,
): readonly RuleResult[] {
  const { results, evidence } = judgeAnswers(WORDS, answers)
  const fields = mappedFields(transform, readContextOf(config), (resource, name) => ({
    clause: null,
    sentence: `${name} of ${nounOf(resource)} is returned`,
    emptyMeans: 'nobody filled it in, this reader may not see it, or its key in the source file is misspelt',
    todo: `check in ${title} that ${nounOf(resource)} have ${name}, that this reader may see it, and that the source file does not misspell its key`,
  }))
  const withTimes = transform.resources.filter(({ columns }) => 'start_time_status' in columns)
  return [
    ...results,
    ...judgeFields(withOwnNames(fields), contents, evidence),
    ...(contents.includes('agenda') ? withTimes : []).flatMap(({ name }) => [
      judgeTimeZone(name, null, config.timeZone, evidence),
      ...judgeZones(name, config.timeZone, evidence),
    ]),
  ]
}

/**
 * Adds the name of the column to the name of each field whose key several columns read, so that no two rules
 * have the same id.
 */
function withOwnNames(fields: readonly MappedField[]): readonly MappedField[] {
  const idOf = ({ resource, name }: MappedField) => `${resource}.${name}`
  const sameId = Map.groupBy(fields, idOf)
  return fields.map((field) =>
    sameId.get(idOf(field))?.length === 1 ? field : { ...field, name: `${field.name}:${field.column}` },
  )
}

/** Name under which records are counted if their times lack only a time zone. */
const NO_ZONE = 'no zone'

const TIMES = ['start_time', 'end_time'] as const

/**
 * Returns the function that counts records with a time that cannot be read now, but could be read with a
 * configured time zone.
 */
export function tallyZoneless(
  { columns }: Pick<SourceResource, 'columns'>,
  inUtc: Pick<SourceResource, 'read'>,
) {
  const statusAt = TIMES.map((time) => columns.indexOf(`${time}_status`))
  return ({ values, doc }: IncomingRow): string | null => {
    const unreadable = TIMES.filter((_, index) => values[statusAt[index] ?? -1] === 'unreadable')
    if (unreadable.length === 0 || doc === null) return null
    const record: Json = JSON.parse(doc)
    const read = isJsonObject(record) ? inUtc.read(record) : null
    if (read === null || 'message' in read) return null
    const canBeRead = (time: string) => read.values[time]?.value != null
    return unreadable.some(canBeRead) ? NO_ZONE : null
  }
}

/**
 * Checks that a time zone is configured if times have no offset. Without a time zone, such times get the
 * warning `bad_time`.
 */
export function judgeTimeZone(
  resource: string,
  clause: string | null,
  timeZone: string | undefined,
  evidence: Evidence,
): RuleResult {
  const rule: Rule = { id: 'timeZone', sentence: 'every time has an offset or a time zone', clause }
  if (timeZone !== undefined) return ok(rule, `source.timeZone is ${timeZone}, for times without an offset`)
  const counts = countsOf(evidence, resource)
  const noun = nounOf(resource)
  if (counts === null) return notCheckable(rule, whyNotRead(evidence, resource))
  if (counts.filled('start_time') + counts.unusable('start_time') === 0) {
    return notCheckable(rule, `no times were returned with ${noun}`)
  }
  const zoneless = counts.tally.get(NO_ZONE) ?? 0
  const all = recordsOf(counts.records, resource)
  if (zoneless === 0) return ok(rule, `source.timeZone is not set, and no time of ${all} needs it`)
  const seen = `times without an offset in ${zoneless} of ${all}, and source.timeZone is not set: bad_time`
  return failed(rule, seen, 'set source.timeZone to the time zone of the event, such as America/New_York')
}
