import type { Kysely } from 'kysely'
import { asAny } from '../../sql/staging-tables.ts'
import type { Content, StagingTables, Tables } from '../../sql/tables.ts'
import { referencesOf, tablesOf } from '../../transforms/lineage.ts'
import type { StagedColumn } from '../../transforms/source-lineage.ts'
import type { AnyTransform } from '../../transforms/source-transform.ts'
import { toDocument } from '../explanation/records.ts'
import { type Erasure, hashInstead } from './erasure.ts'
import { containing } from './like.ts'
import type { Reached } from './reached.ts'
import { CONTENTS_OF_PEOPLE } from './tables.ts'

const PAGE = 100

/** Empties every version of the person's own records, and what was set aside of them. */
export async function eraseRecords(
  transaction: Kysely<Tables>,
  { integrationId, source, tokens }: Erasure,
  reached: Reached,
): Promise<void> {
  const { table, resource, erased } = source.people
  for (const [id, token] of tokens) {
    const common = { source_id: token, doc: '{}', marks: [], version_hash: hashInstead(token) }
    const { numUpdatedRows } = await transaction
      .updateTable(asAny(table))
      .set({ ...erased, ...common } as typeof common)
      .where('integration_id', '=', integrationId)
      .where('source_id', '=', id)
      .executeTakeFirstOrThrow()
    reached.add(table, numUpdatedRows)
    const aside = await transaction
      .updateTable('sync.unstaged')
      .set((eb) => ({
        source_id: token,
        id: eb.case().when('id', 'is', null).then(eb.lit(null)).else(token).end(),
        row_check: null,
      }))
      .where('integration_id', '=', integrationId)
      .where('resource', '=', resource)
      .where('source_id', '=', id)
      .returning('run_id')
      .execute()
    for (const { run_id } of aside) reached.run(run_id)
    reached.add('sync.unstaged', aside.length)
    const unseen = await transaction
      .updateTable('sync.unseen')
      .set({ source_id: token })
      .where('integration_id', '=', integrationId)
      .where('resource', '=', resource)
      .where('source_id', '=', id)
      .executeTakeFirstOrThrow()
    reached.add('sync.unseen', unseen.numUpdatedRows)
  }
}

/** Takes the person out of what other records say: sessions that name them, in every version. */
export async function reduceRecords(
  transaction: Kysely<Tables>,
  erasure: Erasure,
  reached: Reached,
): Promise<void> {
  const { source, integrationId, tokens } = erasure
  for (const table of tablesOf(source))
    reached.add(table, await reduceTable(transaction, erasure, table, reached))
  for (const [table, column] of columnsNamingPeople(source)) {
    const list = column as 'speaking_at'
    for (const [id, token] of tokens) {
      await transaction
        .updateTable(asAny(table))
        .set((eb) => ({ [list]: eb.fn<string[]>('array_replace', [list, eb.val(id), eb.val(token)]) }))
        .where('integration_id', '=', integrationId)
        .where((eb) => eb(eb.val(id), '=', eb.fn.any(list)))
        .execute()
    }
  }
}

/** Lists of items that are no people themselves. */
function columnsNamingPeople(source: AnyTransform): readonly StagedColumn[] {
  return source.contents
    .filter(({ content }) => !isOfPeople(content))
    .flatMap(({ content }) => referencesOf(source, content))
    .flatMap(({ content, column }) => (isOfPeople(content) ? [column] : []))
}

function isOfPeople(content: Content): boolean {
  return (CONTENTS_OF_PEOPLE as readonly Content[]).includes(content)
}

/** @returns versions that named the person */
async function reduceTable(
  transaction: Kysely<Tables>,
  { integrationId, source, sieve, tokens, addresses }: Erasure,
  table: keyof StagingTables,
  reached: Reached,
): Promise<number> {
  const ids = table === source.people.table ? [] : [...tokens.keys()]
  const texts = [...ids, ...addresses].map(likeInJson)
  if (texts.length === 0) return 0
  let rows = 0
  for (let last = { source_id: '', valid_from_run: '00000000-0000-0000-0000-000000000000' }; ; ) {
    const page = await transaction
      .selectFrom(asAny(table))
      .where('integration_id', '=', integrationId)
      .where((eb) => eb.or(texts.map((text) => eb(eb.cast<string>('doc', 'text'), 'ilike', text))))
      .where((eb) =>
        eb.or([
          eb('source_id', '>', last.source_id),
          eb.and([eb('source_id', '=', last.source_id), eb('valid_from_run', '>', last.valid_from_run)]),
        ]),
      )
      .orderBy('source_id')
      .orderBy('valid_from_run')
      .limit(PAGE)
      .select((eb) => ['source_id', 'valid_from_run', eb.cast<string>('doc', 'text').as('doc_text')])
      .execute()
    for (const { source_id, valid_from_run, doc_text } of page) {
      const document = toDocument(doc_text)
      const reduced = sieve.reduced(document)
      const text = JSON.stringify(reduced)
      if (addresses.some((address) => text.toLowerCase().includes(address))) reached.mention()
      if (reduced === document) continue
      rows += 1
      await transaction
        .updateTable(asAny(table))
        .set({ doc: text, version_hash: hashInstead(source_id, valid_from_run) })
        .where('integration_id', '=', integrationId)
        .where('source_id', '=', source_id)
        .where('valid_from_run', '=', valid_from_run)
        .execute()
    }
    const end = page.at(-1)
    if (end === undefined || page.length < PAGE) return rows
    last = end
  }
}

/** A pattern for a text as it stands within JSON. */
function likeInJson(text: string): string {
  return containing(JSON.stringify(text).slice(1, -1))
}
