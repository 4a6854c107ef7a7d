import { sql } from 'kysely'
import type { Cell } from '../../sql/database.ts'
import type { Selection } from '../../sql/insert-from.ts'
import type { Content, Db, ReasonWords, Tables } from '../../sql/tables.ts'
import type { PeopleKeys } from '../rules/people.ts'
import type { DeclaredContent } from './content.ts'
import type { Scope } from './contents.ts'
import { CUSTOM_COLUMN } from './custom-fields.ts'
import type { Excluded, ExclusionReason, Field } from './field.ts'
import type { StagingTables } from './resource.ts'
import { type ColumnOf, erasedValue, type Resource } from './resource.ts'

/** The people of a source, and the keys under which records of other kinds contain people. */
export interface DeclaredPeople<Options> {
  readonly records: Resource
  /** Column with the e-mail address; null if the source has no addresses. */
  readonly address: ColumnOf | null
  /**
   * Column that is null if a person has no id and the e-mail address serves as id. `ownId` is left out if
   * every person has an id.
   */
  readonly ownId?: ColumnOf
  /**
   * Returns the keys under which records contain ids, addresses or lists of people. If `keys` is left out,
   * three kinds of keys are used: the key of a person's id, the key of the address, and the keys of columns
   * that refer to people.
   *
   * @param options options of the source; if null, the result lacks the keys that options would add
   */
  keys?(options: Options | null): PeopleKeys
}

interface SourceDeclaration<Options> {
  readonly resources: readonly Resource[]
  readonly contents: readonly DeclaredContent<Options>[]
  readonly people: DeclaredPeople<Options>
  /** Advice to the organiser if the source has no value for a required field. */
  readonly fillIn: string
}

/**
 * Declares a source, which consists of resources and of the contents that are made from them.
 *
 * @throws Error if a content uses a resource that the source does not declare, if people are in several resources,
 *   or if the agenda does not leave out sessions with unusable times
 */
export function source<Options>(declaration: SourceDeclaration<Options>): SourceTransform<Options> {
  const { resources, contents, people, fillIn } = declaration
  for (const { content, records, lookups, beside } of contents) {
    const used = [records, ...Object.values(lookups).map(({ resource }) => resource), ...beside]
    const strange = used.find((one) => !resources.includes(one))
    if (strange !== undefined)
      throw new Error(`${content} is made of ${strange.name}, which is not among the resources of its source`)
  }
  if (!resources.includes(people.records))
    throw new Error(`its people are ${people.records.name}, which is not among the resources of the source`)
  for (const { content, records, exclusions } of contents) {
    if (content !== 'agenda' && records !== people.records)
      throw new Error(
        `${content} is made of ${records.name}, but people.records is ${people.records.name}; all people must be in one resource, because \`forget\` erases people only there`,
      )
    if (content === 'agenda' && !exclusions.some(({ reason }) => reason === 'bad_time'))
      throw new Error('agenda does not leave out sessions with unusable times; add badTime to excludeLast')
  }
  const namedBy = contents.find((one) => one.namedBy !== null)?.namedBy ?? null
  return {
    resources,
    contents,
    attested: [
      ...new Set(
        contents.flatMap(({ exclusions }) =>
          exclusions.flatMap(({ isAttested, reason }) => (isAttested === true ? [reason] : [])),
        ),
      ),
    ],
    sessionSpeakers: namedBy === null ? null : (db, scope) => naming(db, scope, namedBy.column),
    people: {
      resource: people.records.name,
      table: people.records.table as keyof StagingTables,
      address: people.address?.name ?? null,
      ownId: people.ownId?.name ?? null,
      plain: [
        'source_id',
        ...Object.values(people.records.columns).flatMap(({ name, isPlain }) => (isPlain ? [name] : [])),
      ],
      erased: {
        ...Object.fromEntries(
          Object.values(people.records.columns).map((column) => [column.name, erasedValue(column)]),
        ),
        [CUSTOM_COLUMN]: null,
      },
      keys: people.keys ?? ((options) => peopleKeysOf(people, contents, fieldsIn(options))),
    },
    explainExclusion: (excluded, options) => explanationOf(contents, fillIn, excluded, options),
  }
}

/** Returns the keys that the options set for columns, by the name of the option. */
function fieldsIn(options: unknown): Readonly<Record<string, string>> {
  return (options as { readonly fields?: Readonly<Record<string, string>> } | null)?.fields ?? {}
}

/**
 * Returns the keys under which records contain people, derived from the declared columns. If an option sets
 * another key for a column, both keys count, because older records may have the usual key.
 */
function peopleKeysOf<Options>(
  { records, address }: DeclaredPeople<Options>,
  contents: readonly DeclaredContent<Options>[],
  optionKeys: Readonly<Record<string, string>>,
): PeopleKeys {
  const keysOf = (columns: readonly (ColumnOf | null)[]) =>
    new Set(
      columns
        .flatMap((column) => column?.keys ?? [])
        .flatMap((key) => (typeof key === 'string' ? key : [key.key, optionKeys[key.option] ?? key.key]))
        .map((key) => records.keys.keyOf(key)),
    )
  return {
    ids: keysOf([records.id]),
    lists: keysOf(columnsNaming({ contents })),
    addresses: keysOf([address]),
    foldsKeys: false,
  }
}

/** Returns the columns in which records refer to people. */
export function columnsNaming({ contents }: Pick<AnyTransform, 'contents'>): readonly ColumnOf[] {
  const fields = contents.flatMap((content) => Object.values(content.fields))
  return fields.flatMap(({ references }) => {
    const from = references?.content === 'agenda' ? null : references?.from
    return [from, references?.namedBy?.column].filter((column) => column != null)
  })
}

function naming<Options>(db: Db, { integrationId }: Scope<Options>, column: ColumnOf) {
  return db
    .selectFrom(sql.table(column.table).as<'record'>('record'))
    .innerJoinLateral(
      sql<{ user_id: string }>`unnest(${sql.ref(`record.${column.name}`)})`.as<'named'>(sql`named (user_id)`),
      (join) => join.onTrue(),
    )
    .where(sql.ref('record.integration_id'), '=', integrationId)
    .where(sql.ref('record.valid_to_run'), 'is', null)
    .select([sql.ref<string>('record.source_id').as('session_id'), 'named.user_id'])
}

function explanationOf<Options>(
  contents: readonly DeclaredContent<Options>[],
  fillIn: string,
  { content, reason, records }: Excluded,
  options: Options,
): ExclusionReason {
  const made = contents.find((one) => one.content === content)
  const exclusion = made?.exclusions.find((one) => one.reason === reason)
  if (exclusion !== undefined) {
    if ('explanation' in exclusion) return exclusion.explanation(records, options)
    const { why, todo, columns } = exclusion
    return { why, todo, columns }
  }
  const name = reason.replace('missing_required:', '')
  const field: Field | undefined = name === 'uniqueId' ? made?.uniqueId : made?.fields[name]
  if (field?.isMissing === undefined) throw new Error(`nothing of ${content} is excluded for ${reason}`)
  if (typeof field.missing === 'function') return field.missing(records)
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return {
    why: `The ${words} is required, and the source has none.`,
    todo: fillIn,
    columns: field.from.map(({ column }) => column),
    ...field.missing,
  }
}

/**
 * Returns the words of a source for its reasons to leave records out, as far as they are the same for every
 * record.
 *
 * @param excluded counts of the records that were left out, by reason
 * @param onError called if the words for a reason cannot be made without a record
 */
export function wordsOfReasons<Options>(
  { contents, explainExclusion }: SourceTransform<Options>,
  excluded: Readonly<Record<string, number>>,
  options: Options,
  onError: (reason: string, error: unknown) => void,
): ReasonWords {
  const words: Partial<Record<Content, Record<string, { readonly why: string; readonly todo: string }>>> = {}
  for (const { content, exclusions, fields } of contents) {
    const required = Object.entries(fields).filter(([, { isMissing }]) => isMissing !== undefined)
    const reasons = [
      ...exclusions.map(({ reason }) => reason),
      ...required.map(([name]) => `missing_required:${name}`),
    ]
    // The words about times depend on the times of the record.
    for (const reason of reasons.filter((one) => one !== 'bad_time' && (excluded[one] ?? 0) > 0)) {
      try {
        const { why, todo } = explainExclusion({ content, reason, records: {} }, options)
        words[content] = { ...words[content], [reason]: { why, todo } }
      } catch (error) {
        onError(reason, error)
      }
    }
  }
  return words
}

export interface SourceTransform<Options> {
  /**
   * Version of the rules that read the records, which only a source that does not belong to this package
   * sets. If the version of the rules changes, all records get new versions in staging.
   */
  readonly revision?: string
  readonly resources: readonly Resource[]
  readonly contents: readonly DeclaredContent<Options>[]
  /**
   * Reasons that a record itself states, such as a cancellation. A removal for a reason that the record
   * states is not inferred.
   */
  readonly attested: readonly string[]
  /** Selects the people that each session names; null if the sessions of the source name nobody. */
  readonly sessionSpeakers: null | ((db: Db, scope: Scope<Options>) => Selection<Tables['session_speakers']>)
  readonly people: SourcePeople<Options>
  explainExclusion(excluded: Excluded, options: Options): ExclusionReason
}

export type AnyTransform = SourceTransform<never>

/**
 * The people of a source: the staged table of their records, and the keys under which records of other kinds
 * contain people.
 */
export interface SourcePeople<Options> {
  readonly resource: string
  readonly table: keyof StagingTables
  readonly address: string | null
  /**
   * Column that is null if a person has no id and the e-mail address serves as id. `ownId` is null if every
   * person has an id.
   */
  readonly ownId: string | null
  /** Columns without personal values. */
  readonly plain: readonly string[]
  /** The values that columns get if a person is erased, except columns that every staged table has. */
  readonly erased: Readonly<Record<string, Cell>>
  /** @param options options of the source; if null, the result lacks the keys that options would add */
  keys(options: Options | null): PeopleKeys
}

export type AnyPeople = SourcePeople<never>

export interface ReferenceField {
  readonly field: string
  readonly content: Content
  readonly column: StagedColumn
  /**
   * Column in which other records refer to a record. The platform field lists the records that refer to an
   * item's record.
   */
  readonly namedBy?: StagedColumn
}

export type StagedColumn = readonly [table: keyof StagingTables, column: string]

/**
 * Finds the contents that need a resource. A content is complete only if each resource that it needs was read
 * completely.
 */
export function contentsNeeding(
  { contents }: Pick<AnyTransform, 'contents'>,
  resource: Resource,
): readonly Content[] {
  return contents.flatMap(({ content, records, lookups, beside, namedBy }) => {
    const used = [records, ...beside, ...Object.values(lookups).map((lookup) => lookup.resource)]
    return used.includes(resource) || namedBy?.column.table === resource.table ? content : []
  })
}
