import type { Kysely } from 'kysely'
import { type FoundRecords, findNaming, findReasons, type ItemKey } from '../../loaders/explanation/item.ts'
import type { Content, CustomFields, FieldValue, Tables } from '../../sql/tables.ts'
import {
  configuredKey,
  type FieldLineage,
  type FieldOrigin,
  isPersonalColumn,
  lineageOf,
  originsOfColumn,
  referencesOf,
  resourceOfTable,
  tableOf,
} from '../../transforms/decide/lineage.ts'
import { CUSTOM_COLUMN, platformName } from '../../transforms/declare/custom-fields.ts'
import {
  type FlatFields,
  historyOf,
  historyOfItem,
  type ItemVersion,
  mapTexts,
} from '../../transforms/declare/field-values.ts'
import { formOf } from '../../transforms/declare/forms.ts'
import type { StagingTables } from '../../transforms/declare/resource.ts'
import type { AnyTransform, ReferenceField, StagedColumn } from '../../transforms/declare/source.ts'
import type { DetailWarning } from '../../transforms/plan/warnings.ts'
import { isPersonalId } from '../../transforms/rules/personal-ids.ts'
import { inByteOrder } from '../../transforms/rules/references.ts'
import {
  hasValue,
  isJsonObject,
  type Json,
  type JsonObject,
  readText,
  toList,
} from '../../transforms/rules/values.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { HIDDEN, isPersonal } from '../runtime/personal.ts'
import type { ExplainedField, ExplainedOrigin, Reference, RunAt } from '../schemas/items.ts'

/** A synced item, and everything that is known about its fields. */
export interface SyncedItem {
  readonly content: Content
  readonly uniqueId: string
  /** Versions of the item, oldest first. The last version in the list is the current version. */
  readonly versions: readonly ItemVersion[]
  readonly references: ReferencesByField
  readonly warnings: readonly DetailWarning[]
  /** Fields of the item on the platform; null if the platform does not have the item. */
  readonly known: FlatFields | null
  /** Returns a run together with its start time. */
  readonly at: (run: string) => RunAt
}

/** Returns where every field of a content comes from. The unique ID is first, and custom fields are last. */
export function lineageWithCustom(
  { transform, custom, records }: ExplainContext,
  content: Content,
): readonly (FieldLineage & { readonly from: readonly ReadOrigin[] })[] {
  const table = tableOf(transform, content)
  const resource = resourceOfTable(table)
  const staged: unknown = Reflect.get(records.rows[table] ?? {}, CUSTOM_COLUMN)
  const values = isJsonObject(staged) ? staged[content] : undefined
  const own = Object.values(custom[content] ?? {}).map(({ name, from, as }) => {
    const { rule, read } = formOf(as)
    const value = isJsonObject(values) ? (values[name] ?? null) : null
    const wasRead: ReadOrigin['wasRead'] = (raw) =>
      isSame(raw !== undefined && hasValue(raw) ? read(raw).value : null, value)
    return {
      field: platformName(name),
      clause: `fields.${content}.${name}`,
      rule,
      from: [{ resource, column: `${table}.${CUSTOM_COLUMN}`, path: `$.${from}`, wasRead }],
    }
  })
  // Custom fields are sorted by the bytes of their names, as in operations and files.
  return [
    ...lineageOf(transform, content),
    ...own.toSorted((one, other) => (one.field < other.field ? -1 : 1)),
  ]
}

/** Returns true if two values are equal. Different spellings of the same number are equal. */
function isSame(read: Json, staged: Json): boolean {
  const [one, other] = [read, staged].map((value) => JSON.stringify(value))
  return one === other || (isNumber(read) && isNumber(staged) && Number(one) === Number(other))
}

function isNumber(value: Json): boolean {
  return typeof value === 'number' || JSON.isRawJSON(value)
}

/** Explains where every field of an item comes from. The unique ID is first. */
export function explainFields(item: SyncedItem, context: ExplainContext): readonly ExplainedField[] {
  return lineageWithCustom(context, item.content).map(({ field, clause, rule, from }) => {
    const { content, uniqueId, versions, known, at } = item
    const redacted = (value: FieldValue | null) => context.redactor.value(content, field, value)
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
      // The unique ID of a person is the id of the record. If the record has no id, it is the e-mail address.
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

function firstWithValue(origins: readonly ExplainedOrigin[]): readonly ExplainedOrigin[] {
  const first = origins.find(({ there }) => there === 'value') ?? origins[0]
  return first === undefined ? [] : [first]
}

function whyAbsent(
  field: string,
  origins: readonly ExplainedOrigin[],
  { warnings, references }: SyncedItem,
): string {
  const missing = origins.find(({ there }) => there === 'no_record')
  if (missing !== undefined) return `${missing.resource} ${missing.sourceId} is not at the source`
  const named = references.get(field)
  if (named?.length === 0) return 'the source lists none'
  if (named !== undefined) return 'none of those listed at the source is synced'
  const warning = warnings.find((one) => one.field === field)
  if (warning !== undefined) return warning.text
  return origins.some(({ there }) => there === 'value')
    ? 'the value at the source cannot be used'
    : 'the source has no value'
}

/** Everything that is needed to find a value in a record of the source. */
export interface ExplainContext {
  readonly transform: AnyTransform
  readonly source: IntegrationConfig['source']
  readonly custom: CustomFields
  /** True if keys of records match even if upper and lower case differ. */
  readonly foldsKeys: boolean
  readonly records: FoundRecords
  /** Columns that contain ids of other records. Ids of other records are shown as references. */
  readonly lists: readonly StagedColumn[]
  readonly redactor: Redactor
}

type ReadOrigin = FieldOrigin & {
  /**
   * Returns true if the value of the custom field was read from the given value. The argument is undefined if
   * the record does not have the key.
   */
  readonly wasRead?: (value: Json | undefined) => boolean
}

/**
 * Returns the values at the places from which a field is made. A place in a record that is not joined to this
 * item is left out.
 */
export function originsAt(from: readonly ReadOrigin[], context: ExplainContext): readonly ExplainedOrigin[] {
  return from.flatMap((origin) => {
    const end = origin.column.lastIndexOf('.')
    const table = origin.column.slice(0, end) as keyof StagingTables
    const sourceId = context.records.ids.get(table)
    const column: StagedColumn = [table, origin.column.slice(end + 1)]
    return sourceId === undefined ? [] : [originAt(origin, column, sourceId, context)]
  })
}

/** Returns the values in records of the source from which a column is made. */
export function originsOf(column: StagedColumn, context: ExplainContext): readonly ExplainedOrigin[] {
  return originsAt(originsOfColumn(context.transform, column), context)
}

/** Returns the JSON path of a value's origin. The path contains the key that the configuration names. */
function pathOf(origin: FieldOrigin, source: ExplainContext['source']): string {
  const key = configuredKey(origin, 'fields' in source ? source.fields : {})
  if (key === undefined) return origin.path
  return /^[A-Za-z_]\w*$/.test(key) ? `$.${key}` : `$[${JSON.stringify(key)}]`
}

function originAt(
  origin: ReadOrigin,
  column: StagedColumn,
  id: string,
  context: ExplainContext,
): ExplainedOrigin {
  const { source, foldsKeys, records, lists, redactor } = context
  const { resource, option } = origin
  const doc = records.docs.get(column[0])
  const staged: unknown = Reflect.get(records.rows[column[0]] ?? {}, column[1])
  const { wasRead = (raw) => readText(raw).value === staged } = origin
  const { path, value } = valueAt(doc, pathOf(origin, source), foldsKeys, wasRead)
  const found = { resource, sourceId: redactor.id(id), path, ...(option !== undefined && { option }) }
  if (doc === undefined) return { ...found, there: 'no_record' }
  if (value === undefined) return { ...found, there: 'absent' }
  if (value === null) return { ...found, there: 'null' }
  if (typeof value === 'string' && value.trim() === '') return { ...found, there: 'blank' }
  if (Array.isArray(value) && value.length === 0) return { ...found, there: 'empty' }
  if (lists.some(([table, name]) => table === column[0] && name === column[1]))
    return { ...found, there: toList(value)?.length === 0 ? 'empty' : 'list' }
  return { ...found, there: 'value', value: redactor.raw(column, value) }
}

interface AtPath {
  readonly path: string
  readonly value: Json | undefined
}

/**
 * Returns the value at a path. If the path ends early in the document, returns the last value on the path.
 * Lists are not searched.
 *
 * @param wasRead returns true for the spelling of a key that was read: a stored document no longer has its
 *   keys in the original order
 */
function valueAt(
  doc: JsonObject | undefined,
  path: string,
  foldsKeys: boolean,
  wasRead: NonNullable<ReadOrigin['wasRead']>,
): AtPath {
  const keys = path.startsWith('$.') ? path.slice(2).split('.') : [String(JSON.parse(path.slice(2, -1)))]
  let found: readonly AtPath[] = [{ path, value: doc }]
  for (const [index, key] of keys.entries()) {
    found = found.flatMap((at): readonly AtPath[] => {
      if (at.path !== path) return [at]
      if (isJsonObject(at.value)) return membersOf(at.value, key, foldsKeys).map((value) => ({ path, value }))
      if (hasValue(at.value)) return [{ path: `$.${keys.slice(0, index).join('.')}`, value: at.value }]
      return [{ path, value: undefined }]
    })
  }
  const read = found.find((at) => wasRead(at.path === path ? at.value : undefined))
  return read ?? found[0] ?? { path, value: undefined }
}

/** Returns the value of a key. If several spellings of the key have a value, returns all of these values. */
function membersOf(object: JsonObject, key: string, foldsKeys: boolean): readonly (Json | undefined)[] {
  if (!foldsKeys) return [Object.hasOwn(object, key) ? object[key] : undefined]
  const folded = key.toLowerCase()
  const spelled = Object.entries(object).flatMap(([name, value]) =>
    name.toLowerCase() === folded ? [value] : [],
  )
  const filled = spelled.filter(hasValue)
  return filled.length > 0 ? filled : [spelled[0]]
}

/** For each field, the records to which it refers. */
export type ReferencesByField = ReadonlyMap<string, readonly Reference[]>

/**
 * Finds the records to which an item refers.
 *
 * @param contents contents that the run synced; references to items of other contents stay unchanged
 */
export async function findReferences(
  db: Kysely<Tables>,
  key: ItemKey,
  source: AnyTransform,
  records: FoundRecords,
  contents: readonly Content[],
  redactor: Redactor,
): Promise<ReferencesByField> {
  const found = new Map<string, readonly Reference[]>()
  for (const field of referencesOf(source, key.content)) {
    const named = await placesByName(db, key, source, records, field)
    const { content } = field
    const resource = resourceOfTable(tableOf(source, content))
    const ids = [...named.keys()]
    const isSynced = contents.includes(content)
    const reasons = isSynced ? await findReasons(db, key.integrationId, content, ids) : null
    const references = ids.map((id): Reference => {
      const reason = reasons === null ? '' : (reasons.get(id) ?? 'not at the source')
      const namedIn = (named.get(id) ?? []).map((one) => ({
        ...one,
        sourceId: redactor.id(one.sourceId),
      }))
      return {
        id: redactor.id(id),
        content,
        resource,
        named: namedIn,
        isKept: reason === '',
        reason: reason || null,
      }
    })
    found.set(field.field, references)
  }
  return found
}

/** Returns the ids in a reference field. Each id is returned with the records that contain it. */
async function placesByName(
  db: Kysely<Tables>,
  { integrationId, uniqueId }: ItemKey,
  source: AnyTransform,
  { rows, ids }: FoundRecords,
  { column, namedBy }: ReferenceField,
) {
  const named = new Map<string, Reference['named'][number][]>()
  const add = (id: unknown, by: StagedColumn, sourceId: string) => {
    const [origin] = originsOfColumn(source, by)
    if (typeof id !== 'string' || origin === undefined) return
    const record = { resource: origin.resource, sourceId, path: origin.path }
    named.set(id, [...(named.get(id) ?? []), record])
  }
  const [table, name] = column
  for (const id of [Reflect.get(rows[table] ?? {}, name)].flat()) add(id, column, ids.get(table) ?? uniqueId)
  if (namedBy === undefined) return named
  for (const id of await findNaming(db, integrationId, namedBy, uniqueId)) add(id, namedBy, id)
  return new Map(inByteOrder([...named.keys()]).map((id) => [id, named.get(id) ?? []]))
}

/** Replaces personal data by `(hidden)`. */
export interface Redactor {
  id(text: string): string
  /** Hides personal data in the value of a platform field. */
  value(content: Content, field: string, value: FieldValue | null): FieldValue | null
  /** Hides a value of a source record if its column contains personal data. */
  raw(column: StagedColumn, value: Json): Json
}

/**
 * Makes a redactor (which hides personal data). If personal data may be shown, it changes nothing.
 *
 * @param personalIds ids of records that are e-mail addresses, even if they do not look like addresses
 */
export function redactorOf(
  source: AnyTransform,
  showPersonal: boolean,
  personalIds: ReadonlySet<string>,
): Redactor {
  if (showPersonal) return { id: (text) => text, value: (_, __, value) => value, raw: (_, value) => value }
  const id = (text: string) => (isPersonalId(text) || personalIds.has(text) ? HIDDEN : text)
  return {
    id,
    value(content, field, value) {
      const one = (text: string) => {
        if (field === 'uniqueId') return id(text)
        return isPersonal({ content }, field, text) ? HIDDEN : id(text)
      }
      return value && mapTexts(value, one)
    },
    raw(column, value) {
      if (isPersonalColumn(source, column)) return HIDDEN
      // A nested value may contain people that the column should not have, for example the speakers of a
      // session.
      const isNested = [value].flat().some((one) => isJsonObject(one) || Array.isArray(one))
      if (isNested && column[1] === CUSTOM_COLUMN) return HIDDEN
      const isHidden = ID_COLUMNS.test(column[1]) && typeof value === 'string' && id(value) === HIDDEN
      return isHidden ? HIDDEN : value
    },
  }
}

const ID_COLUMNS = /(?:^|_)id$/
