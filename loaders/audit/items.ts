import type { Kysely } from 'kysely'
import type { Content, Tables } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/platform-fields.ts'
import { type CsvCell, fieldCell } from './csv.ts'

const PAGE = 1000

/** The run whose pack is written. */
export interface AuditedRun {
  readonly integrationId: string
  readonly runId: string
}

/** Columns of `agenda.csv`, `speakers.csv` and `attendees.csv`. Source: design 9 (contract). */
export function itemColumns(content: Content): readonly string[] {
  return ['unique_id', 'action', ...PLATFORM_FIELDS[content].map(toSnakeCase)]
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Items that the platform should have after the run, in the order of their unique IDs. */
export async function* itemRows(
  db: Kysely<Tables>,
  { integrationId, runId }: AuditedRun,
  content: Content,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  const fields = PLATFORM_FIELDS[content]
  for (let last = ''; ; ) {
    const page = await db
      .selectFrom('sync.desired_items as item')
      .leftJoin('sync.changes as change', (join) =>
        join
          .onRef('change.integration_id', '=', 'item.integration_id')
          .on('change.run_id', '=', runId)
          .onRef('change.content', '=', 'item.content')
          .onRef('change.unique_id', '=', 'item.unique_id'),
      )
      .where('item.integration_id', '=', integrationId)
      .where('item.content', '=', content)
      .where('item.unique_id', '>', last)
      .where('item.valid_from_run', '<=', runId)
      .where((eb) => eb.or([eb('item.valid_to_run', 'is', null), eb('item.valid_to_run', '>', runId)]))
      .orderBy('item.unique_id')
      .limit(PAGE)
      .select((eb) => [
        'item.unique_id',
        'item.fields',
        eb.fn.coalesce('change.action', eb.val('unchanged')).$castTo<string>().as('action'),
      ])
      .execute()
    yield page.map((item) => [
      item.unique_id,
      item.action,
      ...fields.map((name) => fieldCell(item.fields[name])),
    ])
    if (page.length < PAGE) return
    last = page.at(-1)?.unique_id ?? last
  }
}
