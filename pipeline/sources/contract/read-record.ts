import type { Content, CustomFields } from '../../../sql/tables.ts'
import type { KeyOption, ReadContext } from '../../../transforms/declare/column.ts'
import { CUSTOM_COLUMN } from '../../../transforms/declare/custom-fields.ts'
import type { StagingTables } from '../../../transforms/declare/resource.ts'
import {
  BrokenRuleError,
  keyIn,
  type Resource,
  recordReader,
  type StagedRecord,
  versionInputs,
} from '../../../transforms/declare/resource.ts'
import { type AnyTransform, columnsNaming, contentsNeeding } from '../../../transforms/declare/source.ts'
import { isTooLong, MAX_ID_BYTES } from '../../../transforms/rules/references.ts'
import { isJsonObject } from '../../../transforms/rules/values.ts'
import { NO_ID, type SourceResource } from './source.ts'

export interface ReadConfig {
  readonly timeZone?: string | undefined
  readonly fields?: Readonly<Record<string, string>> | undefined
  readonly reading?: { readonly mode: 'full' | 'changes' } | undefined
}

export function readContextOf(
  { timeZone = undefined, fields = {} }: ReadConfig,
  custom: CustomFields = {},
): ReadContext {
  return { timeZone: timeZone ?? null, fields, custom }
}

export function readableResources(
  transform: AnyTransform,
  config: ReadConfig,
  custom: CustomFields = {},
): readonly SourceResource[] {
  const context = readContextOf(config, custom)
  const isByChanges = config.reading?.mode === 'changes'
  return transform.resources.map((declared) => readable(transform, declared, context, isByChanges))
}

function readable(
  transform: AnyTransform,
  declared: Resource,
  context: ReadContext,
  isByChanges: boolean,
): SourceResource {
  const contents = transform.contents.flatMap(({ content, records }) => (records === declared ? content : []))
  const staged = keysOf(declared, context, contents)
  const { changedAt = null } = declared.keys
  return {
    name: declared.name,
    table: declared.table as keyof StagingTables,
    columns: [...Object.keys(declared.columns), ...(contents.length > 0 ? [CUSTOM_COLUMN] : [])],
    naming: columnsNaming(transform).flatMap(({ table, name }) => (table === declared.table ? [name] : [])),
    keys: changedAt !== null && isByChanges ? [...new Set([...staged, changedAt])] : staged,
    ...(changedAt === null
      ? {}
      : {
          changes: { key: changedAt, isAsked: isByChanges, isStaged: new Set(staged).has(changedAt) },
        }),
    versionInputs: [
      ...versionInputs(declared, context, contents),
      ...(transform.revision === undefined ? [] : [{ revision: transform.revision }]),
    ],
    contents,
    neededFor: contentsNeeding(transform, declared),
    read: readRecordOf(declared, context, contents),
  }
}

/**
 * Returns the function that reads one record. For a record that cannot be staged, the function returns the
 * reason.
 */
export function readRecordOf(
  resource: Resource,
  context: ReadContext,
  contents: readonly Content[] = [],
): SourceResource['read'] {
  const read = recordReader(resource, context, contents)
  const [idKey = ''] = resource.id.keys
  const idPath = `$.${keyIn(idKey, context)}`
  return (record, isIdOnly = false) => {
    if (!isJsonObject(record)) return { path: '$', message: 'not an object' }
    let found: StagedRecord
    try {
      found = read(record, isIdOnly)
    } catch (error) {
      if (error instanceof BrokenRuleError) return { path: '$', message: error.message }
      throw error
    }
    const { value, warnings } = found.sourceId
    if (typeof value === 'string') {
      return isTooLong(value)
        ? { path: idPath, message: `the id is longer than ${MAX_ID_BYTES} bytes` }
        : found
    }
    return { path: idPath, message: warnings.includes('not_text') ? 'the id is not text' : NO_ID }
  }
}

/** Lists the keys of a record that are read. Each key is listed once, and the id is first. */
function keysOf(
  { id, columns }: Resource,
  context: ReadContext,
  contents: readonly Content[],
): readonly string[] {
  const all: readonly (string | KeyOption)[] = [id, ...Object.values(columns)].flatMap(({ keys }) => keys)
  const own = contents.flatMap((content) =>
    Object.values(context.custom?.[content] ?? {}).map(({ from }) => from.split('.')[0] ?? from),
  )
  return [...new Set([...all.map((key) => keyIn(key, context)), ...own])]
}
