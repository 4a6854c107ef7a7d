import type { Content, CustomFields } from '../../../sql/tables.ts'
import { columnOfField, DECLARED_FIELDS } from '../../../transforms/registry/platform-fields.ts'
import { customNames } from '../../../transforms/resources/custom-fields.ts'
import type { PackFile } from './csv.ts'
import { FILE_DESCRIPTIONS, PACK_FORMAT } from './pack-format.ts'

/** Type of a column, as the Table Schema of Frictionless names it. */
type ColumnType = 'string' | 'integer' | 'boolean'

interface Column {
  readonly type: ColumnType
  readonly description: string
  /** First format of packs that has it; left out: all have. */
  readonly since?: number
}

interface Described {
  /** Columns that tell the rows apart; left out where several rows may agree in all of them. */
  readonly primaryKey?: readonly string[]
  readonly columns: Readonly<Record<string, Column>>
}

const text = (description: string): Column => ({ type: 'string', description })
const number = (description: string): Column => ({ type: 'integer', description })
const flag = (description: string): Column => ({ type: 'boolean', description })
const since = (format: number, column: Column): Column => ({ ...column, since: format })

const CONTENT = text('agenda, speakers or attendees')
const UNIQUE_ID = text('unique ID of the platform item')

const FILES: Readonly<Record<string, Described>> = {
  'decisions.csv': {
    columns: {
      content: CONTENT,
      resource: text('resource of the record at the source'),
      source_id: text('id of the record; empty where it has none'),
      unique_id: UNIQUE_ID,
      decision: text('synced, excluded or quarantined'),
      reason: text('why the record is excluded or quarantined'),
      action: text('create, update or unchanged where synced; remove where this run removes the item'),
      detail: text('what was noticed about the record, joined with "; "'),
    },
  },
  'changes.csv': {
    primaryKey: ['content', 'unique_id', 'field'],
    columns: {
      content: CONTENT,
      unique_id: UNIQUE_ID,
      action: text('create, update or remove'),
      field: text('platform field'),
      before: text('value before; empty where there was none'),
      after: text('value after; empty where there is none'),
    },
  },
  'certificates.csv': {
    primaryKey: ['resource'],
    columns: {
      resource: text('resource at the source'),
      certified: flag('whether the end of the resource was proved'),
      requests: number('answers that the records were read from'),
      elements: number('records read'),
      distinct_ids: number('distinct ids among them'),
      declared: number('count that the source declared; empty where it declares none'),
      end: text('how the end was proved'),
      detail: text('why the resource is not certified, or what it says less than all about'),
      confirmed: since(
        3,
        flag('whether what was missing was looked for once more; empty where nothing was removed for it'),
      ),
    },
  },
  'reconciliation.csv': {
    columns: {
      content: text('agenda, speakers or attendees; empty for a sum over a resource'),
      resource: text('resource at the source'),
      measure: text('what is counted'),
      count: number('what was found'),
      expected: number('what it must be; empty for a summand'),
      pass: flag('whether the two are equal; empty for a summand'),
    },
  },
  'load_results.csv': {
    primaryKey: ['seq'],
    columns: {
      seq: number('place in the plan, from 1'),
      content: CONTENT,
      unique_id: UNIQUE_ID,
      op: text('upsert or remove'),
      status: text('created, updated, unchanged, removed, failed or withheld'),
      code: text('why the platform rejected the operation, as it says'),
      detail: text('what follows from that'),
    },
  },
}

function items(content: Content, custom: CustomFields): Described {
  const fields = DECLARED_FIELDS[content].map(
    ({ name, since: format }) =>
      [columnOfField(name), since(format, text(`platform field ${name}`))] as const,
  )
  return {
    primaryKey: ['unique_id'],
    columns: {
      unique_id: UNIQUE_ID,
      action: text('create, update or unchanged'),
      ...Object.fromEntries(fields),
      ...Object.fromEntries(
        customNames(custom, content).map((name) => [name, text("platform field of the customer's own")]),
      ),
    },
  }
}

const CONTENT_OF: Readonly<Record<string, Content>> = {
  'agenda.csv': 'agenda',
  'attendees.csv': 'attendees',
  'speakers.csv': 'speakers',
}

function describedFile(file: string, custom: CustomFields): Described | undefined {
  const content = CONTENT_OF[file]
  return content === undefined ? FILES[file] : items(content, custom)
}

/** Columns of a CSV file in packs of a format, in their order. */
export function columnsOf(file: string, custom: CustomFields = {}, format = PACK_FORMAT): readonly string[] {
  const columns = Object.entries(describedFile(file, custom)?.columns ?? {})
  return columns.flatMap(([name, { since = 1 }]) => (since <= format ? [name] : []))
}

/** Describes the CSV files of a pack for readers that know the Data Package standard (Frictionless). */
export function describePack(
  name: string,
  files: readonly PackFile[],
  personalData: 'full' | 'masked',
  custom: CustomFields = {},
): object {
  const resources = files.flatMap(({ name: path, bytes, sha256 }) => {
    const described = describedFile(path, custom)
    if (described === undefined) return []
    const fields = Object.entries(described.columns).map(([column, { type, description }]) => ({
      name: column,
      type,
      description,
    }))
    // Two ids that are e-mail addresses are one where they are masked.
    const isKeyed = personalData === 'full' || !described.primaryKey?.includes('unique_id')
    const primaryKey = isKeyed ? described.primaryKey : undefined
    return {
      name: path.replace(/\.csv$/, ''),
      path,
      profile: 'tabular-data-resource',
      title: FILE_DESCRIPTIONS[path],
      format: 'csv',
      mediatype: 'text/csv',
      encoding: 'utf-8',
      bytes,
      hash: `sha256:${sha256}`,
      dialect: { delimiter: ',', lineTerminator: '\r\n', quoteChar: '"', doubleQuote: true, header: true },
      schema: { fields, missingValues: [''], ...(primaryKey === undefined ? {} : { primaryKey }) },
    }
  })
  return { profile: 'tabular-data-package', name, resources }
}
