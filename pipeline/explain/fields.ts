import type { Content, CustomField } from '../../sql/tables.ts'
import type { FlatFields } from '../../transforms/declare/field-values.ts'
import { historyOf, historyOfItem, type ItemVersion } from '../../transforms/declare/value-history.ts'
import type { DetailMark } from '../../transforms/plan/marks.ts'
import { type FieldLineage, lineageOf, resourceOfTable, tableOf } from '../../transforms/registry/lineage.ts'
import { CUSTOM_COLUMN, platformName } from '../../transforms/resources/custom-fields.ts'
import type { ExplainedField, Origin, RunAt, Value } from './explanation.ts'
import { type ExplainContext, originsAt } from './origins.ts'
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
  readonly known: FlatFields | null
  /** When runs started. */
  readonly at: (run: string) => RunAt
}

/** Where every field of a content comes from, the unique ID first and custom ones last. */
export function lineageWithCustom({ transform, custom }: ExplainContext, content: Content) {
  const table = tableOf(transform, content)
  const own = Object.values(custom[content] ?? {}).map(
    ({ name, from, as }): FieldLineage => ({
      field: platformName(name),
      clause: `fields.${content}.${name}`,
      rule: RULES[as],
      from: [{ resource: resourceOfTable(table), column: `${table}.${CUSTOM_COLUMN}`, path: `$.${from}` }],
    }),
  )
  return [...lineageOf(transform, content), ...own]
}

const RULES: Readonly<Record<CustomField['as'], string>> = {
  text: 'The text, trimmed; left out where it is blank.',
  number: 'The number, its digits as written.',
  flag: 'JSON true or false; anything else is left out.',
  url: 'The address, if it is an http(s) one; else left out.',
  list: 'The texts of the list, in the order of the source, each once.',
}

/** Says of every field of an item where it comes from, the unique ID first. */
export function explainFields(item: SyncedItem, context: ExplainContext): readonly ExplainedField[] {
  return lineageWithCustom(context, item.content).map(({ field, clause, rule, from }) => {
    const { content, uniqueId, versions, known, at } = item
    const redacted = (value: Value | null) => context.redactor.value(content, field, value)
    const isId = field === 'uniqueId'
    const value = isId ? uniqueId : (versions.at(-1)?.fields[field] ?? null)
    const history = isId ? historyOfItem(versions, uniqueId) : historyOf(versions, field)
    const references = item.references.get(field)
    const origins = originsAt(from, context)
    const has = known?.[field] ?? null
    const isOther = !isId && known !== null && JSON.stringify(has) !== JSON.stringify(value)
    return {
      field,
      value: redacted(value),
      // The id counts; the e-mail address is taken where there is none.
      from: isId ? firstWithValue(origins) : origins,
      clause,
      rule,
      firstRun: history?.firstRun == null ? null : at(history.firstRun),
      lastRun: history === null ? null : at(history.lastRun),
      before: redacted(history?.before ?? null),
      ...(references === undefined ? {} : { references }),
      ...(value === null ? { absent: whyAbsent(field, origins, item) } : {}),
      ...(isOther ? { platform: redacted(has) } : {}),
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
