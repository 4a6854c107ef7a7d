import { z } from 'zod'
import type { Content, CustomFields } from '../../../sql/tables.ts'
import { columnOfField, DECLARED_FIELDS } from '../../../transforms/decide/platform-fields.ts'
import { customNames } from '../../../transforms/declare/custom-fields.ts'
import { findCertificates } from '../../ledger/ledger.ts'
import { type CsvCell, fieldCell, type Mask } from './csv.ts'
import { decisionRows } from './decision-rows.ts'
import {
  type AgendaItem,
  agendaRows,
  changeRows,
  detailOf,
  findFigures,
  type Item,
  itemRows,
  loadResultRows,
  type PackSource,
} from './rows.ts'

/** Forms of a time, in the terms of `strptime`: in UTC, and on the clocks of a time zone. */
export const INSTANT = '%Y-%m-%dT%H:%M:%SZ'
export const LOCAL_TIME = '%Y-%m-%dT%H:%M:%S'
type TimeFormat = typeof INSTANT | typeof LOCAL_TIME

interface Column<Row> {
  /** The column's type in the terms of Frictionless Table Schema. */
  readonly type: 'string' | 'integer' | 'boolean' | 'datetime'
  /** Form of the cells of a column of times; left out for other columns. */
  readonly format?: TimeFormat
  /** True if a number may have more than 15 digits, which many programs round. It may need more than 64 bits. */
  readonly isLarge?: true
  readonly meaning: string
  /** True if each row has a value. */
  readonly isRequired: boolean
  readonly cell: (row: Row, mask: Mask) => CsvCell | boolean | undefined
  /**
   * True if the cells are ids that a masked pack may hide. Hidden ids can be equal, so they do not identify a
   * row.
   */
  readonly isPersonal: boolean
  /** The platform field of the column; left out if the column has no platform field. */
  readonly field?: string
  /**
   * The values that a cell may have; an empty text stands for an absent value. The list is left out if every
   * value is allowed.
   */
  readonly values?: ReadonlySet<string>
}

/** Columns whose values are in a row of another file, if a row has values in these columns. */
interface Reference {
  readonly columns: readonly string[]
  readonly file: string
  /** Names of the columns in the other file; left out if the names are the same. */
  readonly as?: readonly string[]
  /** True if a rollback has no such rows, because a rollback reads no records. */
  readonly isOfReading?: true
  /** Content to whose items the columns refer. The reference holds only if the run syncs this content. */
  readonly content?: Content
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
  /** Columns that come after the columns of custom fields; left out if custom fields come last. */
  readonly afterCustom?: readonly string[]
  /** Columns whose values are values of a column of another file. */
  readonly references?: readonly Reference[]
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
  <Row>(meaning: string, cell: Column<Row>['cell']): Column<Row> => ({
    type,
    meaning,
    cell,
    isPersonal,
    isRequired: false,
  })
const text = columnOf('string')
const id = columnOf('string', true)
const number = columnOf('integer')
/** Declares a column of control totals. */
const largeNumber = <Row>(meaning: string, cell: Column<Row>['cell']): Column<Row> => ({
  ...number(meaning, cell),
  isLarge: true,
})
const timeIn =
  (format: TimeFormat) =>
  <Row>(meaning: string, cell: Column<Row>['cell']): Column<Row> => ({
    ...columnOf('datetime')(meaning, cell),
    format,
  })
const localTime = timeIn(LOCAL_TIME)
/** Declares that each row has a value in a column. */
const required = <Row>(column: Column<Row>): Column<Row> => ({ ...column, isRequired: true })
/** Declares a column whose cells may have only the given values. */
const oneOf =
  (values: readonly string[], type: 'string' | 'boolean' = 'string') =>
  <Row>(meaning: string, cell: Column<Row>['cell']): Column<Row> => ({
    ...columnOf(type)(meaning, cell),
    isRequired: !values.includes(''),
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
  const cellOf =
    (name: string): Column<Item>['cell'] =>
    ({ fields }, mask) =>
      fieldCell(mask.field(content, name, fields[name]))
  const own = "platform field of the customer's own"
  const fields = [
    ...DECLARED_FIELDS[content].map(({ name, isTime, isRequired }) => {
      const column = (isTime ? timeIn(INSTANT) : text)(`platform field ${name}`, cellOf(name))
      return [columnOfField(name), { ...column, isRequired, field: name }]
    }),
    ...customNames(custom, content).map((name) => [name, { ...text(own, cellOf(name)), field: name }]),
  ]
  const items = { agenda: 'Agenda items', attendees: 'Attendees', speakers: 'Speakers' }[content]
  const declared = {
    name: `${content}.csv`,
    holds: `${items} that the platform should have`,
    content,
    sortedBy: ['unique_id'],
    references: [{ columns: ['unique_id'], file: 'decisions.csv' }, ...itemReferences(content)],
    columns: {
      unique_id: required(id<Item>(UNIQUE_ID, ({ uniqueId }) => uniqueId)),
      action: oneOf(ACTIONS)<Item>('create, update, handover or unchanged', ({ action }) => action),
      ...Object.fromEntries(fields),
    },
  }
  if (content === 'agenda')
    return packFile(ifSynced(content, agendaRows), {
      ...declared,
      afterCustom: Object.keys(LOCAL_COLUMNS),
      columns: { ...declared.columns, ...LOCAL_COLUMNS },
    })
  return packFile(
    ifSynced(content, ({ db, run }) => itemRows(db, run, content)),
    declared,
  )
}

function ifSynced<Row>(content: Content, rows: (source: PackSource) => AsyncGenerator<readonly Row[]>) {
  return async function* (source: PackSource) {
    if (source.resourceOf.has(content)) yield* rows(source)
  }
}

/** The columns of `agenda.csv` with the times on the clocks of a session. */
const LOCAL_COLUMNS = {
  local_start: localTime<AgendaItem>('start_time on the clocks of zone', ({ localStart }) => localStart),
  local_end: localTime<AgendaItem>('end_time on the clocks of zone', ({ localEnd }) => localEnd),
  zone: text<AgendaItem>(
    'time zone of the session or, if it names none, of the event: an IANA name, or an offset such as -05:00',
    ({ zone }) => zone,
  ),
}

/** Returns the references of fields that contain the id of one item of another content. */
function itemReferences(content: Content): readonly Reference[] {
  return DECLARED_FIELDS[content].flatMap(({ name, refersTo, isList }) =>
    refersTo === null || isList
      ? []
      : [{ columns: [columnOfField(name)], file: `${refersTo}.csv`, as: ['unique_id'], content: refersTo }],
  )
}

export const decisionsFile = packFile(decisionRows, {
  name: 'decisions.csv',
  holds: 'What became of each source record, for each content',
  sortedBy: ['content', 'source_id'],
  hasRepeats: true,
  references: [{ columns: ['resource'], file: 'certificates.csv', isOfReading: true }],
  columns: {
    content: contentOf(CONTENT, ({ content }) => content),
    resource: required(text('resource of the record at the source', ({ resource }) => resource)),
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
  references: [{ columns: ['content', 'unique_id'], file: 'load_results.csv' }],
  columns: {
    content: contentOf(CONTENT, ({ content }) => content),
    unique_id: required(id(UNIQUE_ID, ({ uniqueId }) => uniqueId)),
    action: oneOf(['create', 'update', 'handover', 'remove'])(
      'create, update, handover or remove',
      ({ action }) => action,
    ),
    field: required(text('platform field', ({ name }) => name)),
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
        // The detail is an empty text, and so an empty cell, if there is nothing to say.
        const isRequired = !takes(null) && key !== 'detail'
        return [columnOfField(key), { ...column(description, cell), isRequired }]
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
    references: [{ columns: ['resource'], file: 'certificates.csv', isOfReading: true }],
    columns: {
      content: oneOf(['', ...CONTENTS])(
        `${CONTENT}; empty for a sum over a resource`,
        ({ content }) => content || null,
      ),
      resource: text('resource at the source', ({ resource }) => resource || null),
      measure: required(text('what is counted', ({ measure }) => measure)),
      count: required(largeNumber('what was found', (figure) => figure.count)),
      expected: largeNumber('what it must be; empty for a summand', ({ expected }) => expected),
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
    seq: required(number('place in the plan, from 1', ({ seq }) => Number(seq))),
    content: contentOf(CONTENT, ({ content }) => content),
    unique_id: required(id(UNIQUE_ID, (row) => row.unique_id)),
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
