import { sql } from 'kysely'
import type { Content, Fields } from '../../sql/tables.ts'
import { referencesOf } from '../../transforms/decide/lineage.ts'
import { STAGED_COLUMNS } from '../../transforms/decide/staging-sql.ts'
import { asAny, type StagingTables } from '../../transforms/declare/resource.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { addressForms, addressSpellings } from '../../transforms/rules/addresses.ts'
import { makeIdReplacement, textsLost, writtenForms } from '../../transforms/rules/people.ts'
import type { Json } from '../../transforms/rules/values.ts'
import { toDocument } from '../explanation/item.ts'
import { containing, type Erasing, hashInstead, NO_RUN, type Step } from './erasure.ts'

const PAGE = 100

interface Version {
  readonly source_id: string
  readonly valid_from_run: string
  readonly doc: string
  readonly custom: string | null
  /** The columns of the resource itself. */
  readonly columns: Readonly<Record<string, Json>>
}

/** Erases the person from the records of other people and from sessions, in every version. */
export function withoutMentions(source: AnyTransform, table: keyof StagingTables): Step {
  const lists = listsOfPeople(source, table)
  return {
    does: 'the person is removed from records of others',
    columns: ['doc', ...lists, ...(contentsOf(source, table).length > 0 ? ['custom'] : []), 'version_hash'],
    async erase(erasing) {
      erasing.log.add(table, await eraseMentionsIn(erasing, table))
      for (const column of lists) {
        const list = column as 'speaking_at'
        for (const [id, token] of erasing.tokens) {
          await erasing.transaction
            .updateTable(asAny(table))
            .set((eb) => ({ [list]: eb.fn<string[]>('array_replace', [list, eb.val(id), eb.val(token)]) }))
            .where('integration_id', '=', erasing.integrationId)
            .where((eb) => eb(eb.val(id), '=', eb.fn.any(list)))
            .execute()
        }
      }
    },
  }
}

/** Returns the columns of a table of sessions that contain lists of people. */
export function listsOfPeople(source: AnyTransform, table: string): readonly string[] {
  return source.contents
    .flatMap(({ content }) => (content === 'agenda' ? referencesOf(source, content) : []))
    .flatMap(({ content, column: [of, name] }) => (of === table && content !== 'agenda' ? [name] : []))
}

function contentsOf({ contents }: AnyTransform, table: string): readonly Content[] {
  return contents.flatMap(({ content, records }) => (records.table === table ? [content] : []))
}

function hasAddress(text: string, address: string): boolean {
  const folded = text.normalize('NFC').toLowerCase()
  return addressForms(address).some((form) => folded.includes(form))
}

/** Erases the person from the JSON documents of a table. @returns the number of versions that were changed */
async function eraseMentionsIn(erasing: Erasing, table: keyof StagingTables): Promise<number> {
  const { transaction, integrationId, source, filter, tokens, addresses, erasesIdMentions, log } = erasing
  const contents = contentsOf(source, table)
  const texts = [...tokens.keys(), ...addresses.flatMap(addressSpellings)].flatMap(writtenForms)
  const patterns = texts.map((text) => containing(JSON.stringify(text).slice(1, -1)))
  if (patterns.length === 0) return 0
  let rows = 0
  for (let last = { source_id: '', valid_from_run: NO_RUN }; ; ) {
    const { rows: page } = await sql<Version>`
      select source_id, valid_from_run, doc::text as doc,
        ${contents.length > 0 ? sql`custom::text` : null} as custom, to_jsonb(held) - ${STAGED_COLUMNS}::text[] as columns
      from ${sql.table(table)} as held
      where integration_id = ${integrationId}
        and (source_id, valid_from_run) > (${last.source_id}, ${last.valid_from_run}::uuid)
        and doc::text ilike any(${patterns}::text[])
      order by source_id, valid_from_run
      limit ${sql.lit(PAGE)}`.execute(transaction)
    for (const { source_id, valid_from_run, doc, custom, columns } of page) {
      const document = toDocument(doc)
      const withoutPeople = filter.withoutPeople(document)
      // A room may have the same id as the person, and other records may refer to this room and not to the
      // person.
      const others = new Map([...tokens].filter(([id]) => id !== source_id))
      const isNaming = (text: string) => !tokens.has(text) && makeIdReplacement(others)(text) !== text
      const texts = Object.values(columns).flat()
      const kept = new Set(texts.filter((text) => typeof text === 'string').filter(isNaming))
      const unnamed = makeIdReplacement(others, kept)(withoutPeople)
      const isNamed = JSON.stringify(unnamed) !== JSON.stringify(withoutPeople)
      if (isNamed && !erasesIdMentions) log.noteIdMention()
      const left = erasesIdMentions ? unnamed : withoutPeople
      const text = JSON.stringify(left)
      if (kept.size > 0 || addresses.some((address) => hasAddress(text, address))) log.noteFreeTextMention()
      if (withoutPeople === document && !(isNamed && erasesIdMentions)) continue
      rows += 1
      const lost = textsLost(document, left)
      for (const content of contents) log.lost(content, source_id, lost)
      await transaction
        .updateTable(asAny(table))
        .set({
          doc: text,
          version_hash: hashInstead(source_id, valid_from_run),
          ...(custom === null ? {} : { custom: customWithout(erasing, custom, lost) }),
        })
        .where(({ and }) => and({ integration_id: integrationId, source_id, valid_from_run }))
        .execute()
    }
    const end = page.at(-1)
    if (end === undefined || page.length < PAGE) return rows
    last = end
  }
}

/**
 * Returns the custom fields of a record version, without the texts that were erased from the version's
 * document.
 */
function customWithout({ redaction }: Erasing, text: string, lost: ReadonlySet<string>): string {
  const byContent = Object.entries(toDocument(text) as Readonly<Record<string, Fields[string]>>)
  const left = byContent.map(([content, custom]) => [
    content,
    redaction.ofOtherWithout(content as Content, { custom }, lost).custom,
  ])
  return JSON.stringify(Object.fromEntries(left))
}
