import type { Content, Fields } from '../../sql/tables.ts'
import type { AnyTransform, StagedColumn } from '../../transforms/declare/source.ts'
import { referencesOf, tablesOf } from '../../transforms/registry/lineage.ts'
import { asAny, type StagingTables } from '../../transforms/resources/staging-tables.ts'
import { replaceIds, textsLost } from '../../transforms/rules/people.ts'
import { toDocument } from '../explanation/item.ts'
import { CONTENTS_OF_PEOPLE, containing, type Erasing, hashInstead } from './erasure.ts'

const PAGE = 100

/** Empties every version of the person's own records, and what was rejected of them. */
export async function eraseRecords({ transaction, integrationId, source, tokens, log }: Erasing) {
  const { table, resource, erased } = source.people
  for (const [id, token] of tokens) {
    const common = { source_id: token, doc: '{}', marks: [], version_hash: hashInstead(token) }
    const { numUpdatedRows } = await transaction
      .updateTable(asAny(table))
      .set({ ...erased, ...common } as typeof common)
      .where(({ and }) => and({ integration_id: integrationId, source_id: id }))
      .executeTakeFirstOrThrow()
    log.add(table, numUpdatedRows)
    const rejected = await transaction
      .updateTable('sync.unstaged')
      .set((eb) => ({
        source_id: token,
        id: eb.case().when('id', 'is', null).then(eb.lit(null)).else(token).end(),
        row_check: null,
      }))
      .where(({ and }) => and({ integration_id: integrationId, resource, source_id: id }))
      .returning('run_id')
      .execute()
    for (const { run_id } of rejected) log.run(run_id)
    log.add('sync.unstaged', rejected.length)
    const unseen = await transaction
      .updateTable('sync.unseen')
      .set({ source_id: token })
      .where(({ and }) => and({ integration_id: integrationId, resource, source_id: id }))
      .executeTakeFirstOrThrow()
    log.add('sync.unseen', unseen.numUpdatedRows)
    const marks = await transaction
      .updateTable('sync.marks')
      .set({ mark_id: null })
      .where(({ and }) => and({ integration_id: integrationId, resource, mark_id: id }))
      .executeTakeFirstOrThrow()
    log.add('sync.marks', marks.numUpdatedRows)
  }
}

/** Takes the person out of what other records say: sessions that name them, in every version. */
export async function eraseMentions(erasing: Erasing): Promise<void> {
  const { transaction, source, integrationId, tokens, log } = erasing
  for (const table of tablesOf(source)) log.add(table, await eraseMentionsIn(erasing, table))
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
async function eraseMentionsIn(erasing: Erasing, table: keyof StagingTables): Promise<number> {
  const { transaction, integrationId, source, filter, tokens, addresses, erasesIdMentions, log } = erasing
  const texts = [...tokens.keys(), ...addresses].map(likeInJson)
  if (texts.length === 0) return 0
  const contents = source.contents.flatMap(({ content, records }) =>
    records.table === table ? [content] : [],
  )
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
      const withoutPeople = filter.withoutPeople(document)
      // The record of another thing may have the same id.
      const unnamed = replaceIds(withoutPeople, (id) => (id === source_id ? undefined : tokens.get(id)))
      const isNamed = JSON.stringify(unnamed) !== JSON.stringify(withoutPeople)
      if (isNamed && !erasesIdMentions) log.noteIdMention()
      const left = erasesIdMentions ? unnamed : withoutPeople
      const text = JSON.stringify(left)
      if (addresses.some((address) => text.toLowerCase().includes(address))) log.noteFreeTextMention()
      if (withoutPeople === document && !(isNamed && erasesIdMentions)) continue
      rows += 1
      if (contents.length > 0) {
        const texts = textsLost(document, left)
        for (const content of contents) log.lost(content, source_id, texts)
        await eraseLostCustom(erasing, table, { source_id, valid_from_run }, texts)
      }
      await transaction
        .updateTable(asAny(table))
        .set({ doc: text, version_hash: hashInstead(source_id, valid_from_run) })
        .where(({ and }) => and({ integration_id: integrationId, source_id, valid_from_run }))
        .execute()
    }
    const end = page.at(-1)
    if (end === undefined || page.length < PAGE) return rows
    last = end
  }
}

/** Custom fields of a version as they were read from what it lost. */
async function eraseLostCustom(
  { transaction, integrationId, redaction }: Erasing,
  table: keyof StagingTables,
  { source_id, valid_from_run }: { readonly source_id: string; readonly valid_from_run: string },
  lost: ReadonlySet<string>,
): Promise<void> {
  const staged = asAny(table) as 'staging.a_sessions'
  const row = await transaction
    .selectFrom(staged)
    .where(({ and }) => and({ integration_id: integrationId, source_id, valid_from_run }))
    .select((eb) => eb.cast<string | null>(eb.ref('custom' as 'doc'), 'text').as('custom'))
    .executeTakeFirstOrThrow()
  if (row.custom === null) return
  const byContent = Object.entries(toDocument(row.custom) as Readonly<Record<string, Fields>>)
  const left = byContent.map(([content, custom]) => [
    content,
    redaction.ofOtherWithout(content as Content, { custom: custom as Fields[string] }, lost).custom,
  ])
  const values = { custom: JSON.stringify(Object.fromEntries(left)) }
  await transaction
    .updateTable(staged)
    .set(values as object)
    .where(({ and }) => and({ integration_id: integrationId, source_id, valid_from_run }))
    .execute()
}

function likeInJson(text: string): string {
  return containing(JSON.stringify(text).slice(1, -1))
}
