import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Content, Fields, Tables } from '../../sql/tables.ts'
import { fieldsNamingPeople } from '../../transforms/rules/platform.ts'
import {
  CONTENTS_OF_PEOPLE,
  type Erasing,
  hashInstead,
  type Place,
  type RunsOfRow,
  type Step,
} from './erasure.ts'

/** The relevant columns of a table that stores items or changes of items. */
interface ItemColumns {
  /**
   * Columns that identify a row among the rows of an integration. Rows are rewritten in the order of these
   * columns. The order of rewritten rows determines the numbers in replaced values, such as `forgotten 2`.
   */
  readonly rowKey: readonly string[]
  /** Columns with platform fields. */
  readonly fields: readonly string[]
  /** Column with a hash of the fields. */
  readonly hash?: string
}

type ItemRow = RunsOfRow & { readonly content: Content } & Readonly<Record<string, unknown>>

interface Rewriting {
  /**
   * Token that replaces the person's id in items that belong to the person. The token is null for items of
   * other people; among these items, only rows whose texts change are written.
   */
  readonly token: string | null
  fieldsOf(content: Content, fields: Fields): Fields
}

/**
 * Rewrites three kinds of items: items of the person, sessions that name the person, and other items with
 * texts about the person.
 */
export function redacted(item: ItemColumns): Step {
  const { fields, hash } = item
  return {
    does: 'values are replaced',
    columns: ['unique_id', ...fields, ...(hash === undefined ? [] : [hash])],
    async erase(erasing, place) {
      const { tokens, redaction } = erasing
      const fieldsOf: Rewriting['fieldsOf'] = (content, values) =>
        content === 'agenda' ? redaction.ofOther(values) : redaction.ofPerson(content, values)
      for (const [id, token] of tokens)
        await rewriteItems(erasing, place, item, isOfPerson(id, fields), { token, fieldsOf })
    },
    // Custom fields of an item may repeat texts that were erased from the item's record.
    async eraseLost(erasing, place, { content, id, texts }) {
      const isItem = sql<SqlBool>`content = ${content} and unique_id = ${id}`
      const fieldsOf: Rewriting['fieldsOf'] = (of, values) =>
        erasing.redaction.ofOtherWithout(of, values, texts)
      await rewriteItems(erasing, place, item, isItem, { token: null, fieldsOf })
    },
  }
}

async function rewriteItems(
  { transaction, integrationId, log }: Erasing,
  place: Place,
  { rowKey, fields, hash }: ItemColumns,
  isItem: Expression<SqlBool>,
  { token, fieldsOf }: Rewriting,
): Promise<void> {
  const { rows } = await sql<ItemRow>`
    select * from ${sql.table(place.table)}
    where integration_id = ${integrationId} and ${isItem}
    order by ${sql.join(rowKey.map((column) => sql.ref(column)))}`.execute(transaction)
  for (const row of rows) {
    const left = fields.map((column) => {
      const before = row[column] as Fields | null
      const text = before === null ? null : JSON.stringify(fieldsOf(row.content, before))
      return { column, text, isSame: before === null || text === JSON.stringify(before) }
    })
    if (token === null && left.every(({ isSame }) => isSame)) continue
    const key = rowKey.map((column) => row[column] as string)
    const values = {
      ...Object.fromEntries(left.map(({ column, text }) => [column, text])),
      // A session keeps its own id, even if the session names the person.
      ...(token === null || row.content === 'agenda' ? {} : { unique_id: token }),
      ...(hash === undefined
        ? {}
        : { [hash]: hashInstead(...(token === null ? [] : [token]), ...key.map(String)) }),
    }
    await transaction
      .updateTable(place.table as 'sync.desired_items')
      .set(values)
      .where('integration_id', '=', integrationId)
      .where((eb) => eb.and(Object.fromEntries(rowKey.map((column, index) => [column, key[index]]))))
      .execute()
    log.runsOf(place, row)
    log.row(place.table, key)
  }
}

/** Selects items, or changes of items, that belong to the person or are sessions that name the person. */
function isOfPerson(id: string, fields: readonly string[]): Expression<SqlBool> {
  const eb = expressionBuilder<Tables, 'sync.platform_items'>()
  const isNaming = fields.flatMap((column) =>
    fieldsNamingPeople('agenda').map((field) =>
      eb(sql.ref<Fields>(column), '@>', eb.cast<Fields>(eb.val(JSON.stringify({ [field]: [id] })), 'jsonb')),
    ),
  )
  return eb.or([
    eb.and([eb('content', 'in', CONTENTS_OF_PEOPLE), eb('unique_id', '=', id)]),
    eb.and([eb('content', '=', 'agenda'), eb.or(isNaming)]),
  ])
}
