import { PLATFORM_FIELDS } from '../../transforms/platform-fields.ts'
import type { PackFile } from './csv.ts'
import { HOLDS } from './holds.ts'

/** Type of a column, as the Table Schema of Frictionless names it. */
type ColumnType = 'string' | 'integer' | 'boolean'

interface Column {
  readonly type: ColumnType
  readonly description: string
}

interface Described {
  /** Columns that tell the rows apart; left out where several rows may agree in all of them. */
  readonly primaryKey?: readonly string[]
  readonly columns: Readonly<Record<string, Column>>
}

const text = (description: string): Column => ({ type: 'string', description })
const number = (description: string): Column => ({ type: 'integer', description })
const flag = (description: string): Column => ({ type: 'boolean', description })

const CONTENT = text('agenda, speakers or attendees')
const UNIQUE_ID = text('unique ID of the platform item')

/** What the columns of each CSV file hold. Source: design 9 (contract). */
const FILES: Readonly<Record<string, Described>> = {
  'agenda.csv': items('agenda'),
  'attendees.csv': items('attendees'),
  'speakers.csv': items('speakers'),
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
      detail: text('why the resource is not certified'),
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

function items(content: keyof typeof PLATFORM_FIELDS): Described {
  const fields = PLATFORM_FIELDS[content].map((field) => {
    const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return [name, text(`platform field ${field}`)] as const
  })
  return {
    primaryKey: ['unique_id'],
    columns: {
      unique_id: UNIQUE_ID,
      action: text('create, update or unchanged'),
      ...Object.fromEntries(fields),
    },
  }
}

/**
 * Describes the CSV files of a pack for readers that know the Data Package standard (Frictionless).
 *
 * @param name of the integration
 * @param personalData whether values of people are masked
 */
export function describePack(
  name: string,
  files: readonly PackFile[],
  personalData: 'full' | 'masked',
): object {
  const resources = files.flatMap(({ name: path, bytes, sha256 }) => {
    const described = FILES[path]
    if (described === undefined) return []
    const fields = Object.entries(described.columns).map(([column, rest]) => ({ name: column, ...rest }))
    // Two ids that are e-mail addresses are one where they are masked.
    const isKeyed = personalData === 'full' || !described.primaryKey?.includes('unique_id')
    const primaryKey = isKeyed ? described.primaryKey : undefined
    return {
      name: path.replace(/\.csv$/, ''),
      path,
      profile: 'tabular-data-resource',
      title: HOLDS[path],
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
