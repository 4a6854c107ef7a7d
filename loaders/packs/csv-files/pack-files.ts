import { z } from 'zod'
import type { Content, CustomFields } from '../../../sql/tables.ts'
import { columnOfField, DECLARED_FIELDS } from '../../../transforms/decide/platform-fields.ts'
import { customNames } from '../../../transforms/declare/custom-fields.ts'
import { findCertificates } from '../../ledger/ledger.ts'
import { type CsvCell, fieldCell, type ListedFile, type Mask } from './csv.ts'
import { decisionRows } from './decision-rows.ts'
import {
  changeRows,
  detailOf,
  findFigures,
  type Item,
  itemRows,
  loadResultRows,
  type PackSource,
} from './rows.ts'

interface Column<Row> {
  /** The column's type in the terms of Frictionless Table Schema. */
  readonly type: 'string' | 'integer' | 'boolean'
  readonly meaning: string
  readonly cell: (row: Row, mask: Mask) => CsvCell | boolean | undefined
  /**
   * True if the cells are ids that a masked pack may hide. Hidden ids can be equal, so they do not identify a
   * row.
   */
  readonly isPersonal: boolean
  /** The platform field of the column; left out if the column has no platform field. */
  readonly field?: string
  /** True if a number of the column may need more than 64 bits. */
  readonly isLarge?: true
  /**
   * The values that a cell may have; an empty text stands for an absent value. The list is left out if every
   * value is allowed.
   */
  readonly values?: ReadonlySet<string>
}

/**
 * The declaration of a CSV file of a pack. All code that writes, describes or verifies a CSV file uses the
 * declaration of the file.
 */
export interface PackFile<Row = never> {
  readonly name: string
  readonly holds: string
  /** The content whose items the file lists; left out for other files. */
  readonly content?: Content
  /**
   * Columns by which the rows of the file are sorted. The sort columns identify a row unless `hasRepeats` is
   * true. `sortedBy` is left out if the rows of the file are not sorted.
   */
  readonly sortedBy?: readonly string[]
  readonly hasRepeats?: true
  readonly columns: Readonly<Record<string, Column<Row>>>
  readonly cellsOf: (row: Row, mask: Mask) => readonly CsvCell[]
  readonly pages: (source: PackSource) => AsyncGenerator<readonly (readonly CsvCell[])[]>
}

function packFile<Row>(
  rows: (source: PackSource) => AsyncGenerator<readonly Row[]>,
  declared: Omit<PackFile<Row>, 'cellsOf' | 'pages'>,
): PackFile<Row> {
  const columns = Object.values(declared.columns)
  const cellsOf = (row: Row, mask: Mask) =>
    columns.map(({ cell, isPersonal }) => {
      const value = cell(row, mask) ?? null
      if (typeof value === 'boolean') return String(value)
      return isPersonal && typeof value === 'string' ? mask.id(value) : value
    })
  async function* pages(source: PackSource) {
    for await (const page of rows(source)) yield page.map((row) => cellsOf(row, source.mask))
  }
  return { ...declared, cellsOf, pages }
}

const columnOf =
  (type: Column<never>['type'], isPersonal = false) =>
  <Row>(meaning: string, cell: Column<Row>['cell']): Column<Row> => ({ type, meaning, cell, isPersonal })
const text = columnOf('string')
const id = columnOf('string', true)
const number = columnOf('integer')
/** Declares a column of sums. A control total is a sum of hashes, which may need more than 64 bits. */
const sum = <Row>(meaning: string, cell: Column<Row>['cell']): Column<Row> => ({
  ...number(meaning, cell),
  isLarge: true,
})
/** Declares a column whose cells may have only the given values. */
const oneOf =
  (values: readonly string[], type: 'string' | 'boolean' = 'string') =>
  <Row>(meaning: string, cell: Column<Row>['cell']): Column<Row> => ({
    ...columnOf(type)(meaning, cell),
    values: new Set(values),
  })
const flag = oneOf(['', 'true', 'false'], 'boolean')

const CONTENTS = ['agenda', 'attendees', 'speakers'] as const
const ACTIONS = ['create', 'update', 'handover', 'unchanged']
const contentOf = oneOf(CONTENTS)

const CONTENT = 'agenda, speakers or attendees'
const UNIQUE_ID = 'unique ID of the platform item'
const REASON = 'why the item is removed; empty for others'

/** Declares the CSV file of a content, which lists the items that the platform should have after the run. */
export function itemsFile(content: Content, custom: CustomFields = {}) {
  const field = (name: string, meaning: string) => ({
    ...text<Item>(meaning, ({ fields }, mask) => fieldCell(mask.field(content, name, fields[name]))),
    field: name,
  })
  const own = "platform field of the customer's own"
  const fields = [
    ...DECLARED_FIELDS[content].map(({ name }) => [
      columnOfField(name),
      field(name, `platform field ${name}`),
    ]),
    ...customNames(custom, content).map((name) => [name, field(name, own)]),
  ]
  const items = { agenda: 'Agenda items', attendees: 'Attendees', speakers: 'Speakers' }[content]
  return packFile(
    async function* ({ db, run, resourceOf }: PackSource) {
      if (resourceOf.has(content)) yield* itemRows(db, run, content)
    },
    {
      name: `${content}.csv`,
      holds: `${items} that the platform should have`,
      content,
      sortedBy: ['unique_id'],
      columns: {
        unique_id: id(UNIQUE_ID, ({ uniqueId }) => uniqueId),
        action: oneOf(ACTIONS)('create, update, handover or unchanged', ({ action }) => action),
        ...Object.fromEntries(fields),
      },
    },
  )
}

export const decisionsFile = packFile(decisionRows, {
  name: 'decisions.csv',
  holds: 'What became of each source record, for each content',
  sortedBy: ['content', 'source_id'],
  hasRepeats: true,
  columns: {
    content: contentOf(CONTENT, ({ content }) => content),
    resource: text('resource of the record at the source', ({ resource }) => resource),
    source_id: id('id of the record; empty where it has none', (row) => row.source_id || null),
    unique_id: id(UNIQUE_ID, (row) => row.unique_id),
    decision: oneOf(['synced', 'excluded', 'quarantined'])(
      'synced, excluded or quarantined',
      ({ decision }) => decision,
    ),
    reason: text('why the record is excluded or quarantined', ({ reason }) => reason || null),
    action: oneOf(['', ...ACTIONS, 'remove'])(
      'create, update or unchanged where synced; remove where this run removes the item',
      ({ action }) => action,
    ),
    detail: text('what was noticed about the record, joined with "; "', ({ detail }) => detail || null),
  },
})

export const changesFile = packFile(changeRows, {
  name: 'changes.csv',
  holds: 'Each field that this run changes, before and after',
  sortedBy: ['content', 'unique_id', 'field'],
  columns: {
    content: contentOf(CONTENT, ({ content }) => content),
    unique_id: id(UNIQUE_ID, ({ uniqueId }) => uniqueId),
    action: oneOf(['create', 'update', 'handover', 'remove'])(
      'create, update, handover or remove',
      ({ action }) => action,
    ),
    field: text('platform field', ({ name }) => name),
    before: text('value before; empty where there was none', ({ before }) => before),
    after: text('value after; empty where there is none', ({ after }) => after),
    reason: text(REASON, ({ reason }) => reason || null),
  },
})

const count = z.int().nonnegative()

/**
 * A certificate (proof that a resource was read completely) in the manifest and in `certificates.csv`. The
 * manifest's key `distinctIds` is the column `distinct_ids` in `certificates.csv`.
 */
export const certificateSchema = z.object({
  resource: z.string().describe('resource at the source'),
  certified: z.boolean().describe('whether the end of the resource was proved'),
  requests: count.describe('answers that the records were read from'),
  elements: count.describe('records read'),
  distinctIds: count.nullable().describe('distinct ids among them'),
  declared: count.nullable().describe('count that the source declared; empty where it declares none'),
  end: z.string().nullable().describe('how the end was proved'),
  detail: z.string().describe('why the resource is not certified, or what it says less than all about'),
  confirmed: z
    .boolean()
    .nullable()
    .describe('whether what was missing was looked for once more; empty where nothing was removed for it'),
})

type Certificate = z.output<typeof certificateSchema>

export const certificatesFile = packFile<Certificate>(
  async function* ({ db, run }) {
    yield await findCertificates(db, run)
  },
  {
    name: 'certificates.csv',
    holds: 'The proof of each resource that it was read completely',
    sortedBy: ['resource'],
    columns: Object.fromEntries(
      Object.entries<z.ZodType>(certificateSchema.shape).map(([key, schema]) => {
        const takes = (value: unknown) => schema.safeParse(value).success
        const column = takes('') ? text : takes(0) ? number : flag
        const { description = '' } = schema.meta() ?? {}
        const cell = ({ [key as keyof Certificate]: value }: Certificate) => (value === '' ? null : value)
        return [columnOfField(key), column(description, cell)]
      }),
    ),
  },
)

export const reconciliationFile = packFile(
  async function* ({ db, run }: PackSource) {
    yield await findFigures(db, run)
  },
  {
    name: 'reconciliation.csv',
    holds: 'Counts and control totals, each beside what it must be',
    columns: {
      content: oneOf(['', ...CONTENTS])(
        `${CONTENT}; empty for a sum over a resource`,
        ({ content }) => content || null,
      ),
      resource: text('resource at the source', ({ resource }) => resource || null),
      measure: text('what is counted', ({ measure }) => measure),
      count: sum('what was found', (figure) => figure.count),
      expected: sum('what it must be; empty for a summand', ({ expected }) => expected),
      pass: flag('whether the two are equal; empty for a summand', (figure) =>
        figure.expected === null ? null : figure.count === figure.expected,
      ),
    },
  },
)

export const loadResultsFile = packFile(loadResultRows, {
  name: 'load_results.csv',
  holds: 'What became of each planned operation',
  sortedBy: ['seq'],
  columns: {
    seq: number('place in the plan, from 1', ({ seq }) => Number(seq)),
    content: contentOf(CONTENT, ({ content }) => content),
    unique_id: id(UNIQUE_ID, (row) => row.unique_id),
    op: oneOf(['upsert', 'remove'])('upsert or remove', ({ action }) =>
      action === 'remove' ? 'remove' : 'upsert',
    ),
    status: oneOf(['created', 'updated', 'unchanged', 'removed', 'failed', 'withheld'])(
      'created, updated, unchanged, removed, failed or withheld',
      ({ state, result }) => (state === 'withheld' ? 'withheld' : result),
    ),
    code: text('why the platform rejected the operation, as it says', ({ code }) => code),
    detail: text('what follows from that', detailOf),
    reason: text(REASON, ({ reason }) => reason || null),
  },
})

/** Returns the declarations of the CSV files of a pack, in the order of the pack. */
export function csvFilesOf(custom: CustomFields = {}): readonly PackFile[] {
  const items = CONTENTS.map((content) => itemsFile(content, custom))
  return [...items, decisionsFile, changesFile, certificatesFile, reconciliationFile, loadResultsFile]
}

/**
 * Describes the CSV files of a pack in the Data Package standard (Frictionless), for tools that know the
 * standard.
 */
export function describePack(
  name: string,
  files: readonly ListedFile[],
  personalData: 'full' | 'masked',
  custom: CustomFields = {},
): object {
  const resources = csvFilesOf(custom).flatMap(({ name: path, holds, columns, sortedBy, hasRepeats }) => {
    const listed = files.find((file) => file.name === path)
    if (listed === undefined) return []
    const described = Object.entries(columns)
    const fields = described.map(([column, { type, meaning }]) => ({
      name: column,
      type,
      description: meaning,
    }))
    // Masked ids can be equal, so a column with masked ids is not declared as a key.
    const isKeyed =
      hasRepeats !== true && (personalData === 'full' || !sortedBy?.some((one) => columns[one]?.isPersonal))
    return {
      name: path.replace(/\.csv$/, ''),
      path,
      profile: 'tabular-data-resource',
      title: holds,
      format: 'csv',
      mediatype: 'text/csv',
      encoding: 'utf-8',
      bytes: listed.bytes,
      hash: `sha256:${listed.sha256}`,
      dialect: { delimiter: ',', lineTerminator: '\r\n', quoteChar: '"', doubleQuote: true, header: true },
      schema: { fields, missingValues: [''], ...(isKeyed && sortedBy ? { primaryKey: sortedBy } : {}) },
    }
  })
  return { profile: 'tabular-data-package', name, resources }
}
