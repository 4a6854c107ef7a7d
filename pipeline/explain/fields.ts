import type { Content, Fields } from '../../sql/tables.ts'
import { lineageOf } from '../../transforms/lineage.ts'
import type { DetailMark } from '../../transforms/marks.ts'
import { historyOf, historyOfItem, type ItemVersion } from '../../transforms/value-history.ts'
import type { ExplainedField, Origin, RunAt, Value } from './explanation.ts'
import { originsAt, type Sight } from './origins.ts'
import type { References } from './references.ts'

/** A synced item, and all that is known of its fields. */
export interface SyncedItem {
  readonly content: Content
  readonly uniqueId: string
  /** Oldest first; the last one is current. */
  readonly versions: readonly ItemVersion[]
  readonly references: References
  readonly marks: readonly DetailMark[]
  /** What the platform has; null where it does not have the item. */
  readonly known: Fields | null
  /** When runs started. */
  readonly at: (run: string) => RunAt
}

/** Tells of every field of an item where it comes from, the unique ID first. */
export function explainFields(item: SyncedItem, sight: Sight): readonly ExplainedField[] {
  return lineageOf(sight.transform, item.content).map(({ field, clause, rule, from }) => {
    const { content, uniqueId, versions, known, at } = item
    const veiled = (value: Value | null) => sight.veil.value(content, field, value)
    const value = field === 'uniqueId' ? uniqueId : (versions.at(-1)?.fields[field] ?? null)
    const history = field === 'uniqueId' ? historyOfItem(versions, uniqueId) : historyOf(versions, field)
    const references = item.references.get(field)
    const origins = originsAt(from, sight)
    const has = known?.[field] ?? null
    const isOther = field !== 'uniqueId' && known !== null && !isEqual(has, value)
    return {
      field,
      value: veiled(value),
      // The id counts; the e-mail address stands in where there is none.
      from: field === 'uniqueId' ? firstWithValue(origins) : origins,
      clause,
      rule,
      firstRun: history?.firstRun == null ? null : at(history.firstRun),
      lastRun: history === null ? null : at(history.lastRun),
      before: veiled(history?.before ?? null),
      ...(references === undefined ? {} : { references }),
      ...(value === null ? { absent: whyAbsent(field, origins, item) } : {}),
      ...(isOther ? { platform: veiled(has) } : {}),
    }
  })
}

function firstWithValue(origins: readonly Origin[]): readonly Origin[] {
  const first = origins.find(({ there }) => there === 'value') ?? origins[0]
  return first === undefined ? [] : [first]
}

function whyAbsent(field: string, origins: readonly Origin[], { marks, references }: SyncedItem): string {
  const missing = origins.find(({ there }) => there === 'no_record')
  if (missing !== undefined) return `${missing.resource} ${missing.sourceId} is not at the source`
  const named = references.get(field)
  if (named?.length === 0) return 'the source names none'
  if (named !== undefined) return 'none of those that the source names is synced'
  const mark = marks.find((one) => one.field === field)
  if (mark !== undefined) return mark.text
  return origins.some(({ there }) => there === 'value')
    ? 'what the source has gives no value'
    : 'the source gives none'
}

function isEqual(one: Value | null, other: Value | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
