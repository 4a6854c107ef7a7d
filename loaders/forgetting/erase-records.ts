import type { Kysely } from 'kysely'
import type { StagingTables, Tables } from '../../sql/tables.ts'
import { toDocument } from '../explanation/records.ts'
import { type Erasure, hashInstead } from './erasure.ts'
import { containing } from './like.ts'
import type { Reached } from './reached.ts'
import { RESOURCES_OF_PEOPLE } from './tables.ts'

const PAGE = 100

const NO_USER = {
  id: null,
  first_name: null,
  last_name: null,
  email_address: null,
  title: null,
  company: null,
  biography: null,
  photo_link: null,
  facebook_url: null,
  linkedin_url: null,
  has_speaker_role: false,
  is_pending: null,
  speaking_at: [],
} as const

const NO_REGISTRANT = {
  first_name: null,
  last_name: null,
  email: null,
  job_title: null,
  company: null,
  bio: null,
  mobile_phone: null,
  twitter_handle: null,
  reg_type_id: null,
  reg_type_value: null,
  reg_type_folded: null,
  session_ids: [],
  cancelled_at: null,
} as const

/** Empties every version of the person's own records, and what was set aside of them. */
export async function eraseRecords(
  transaction: Kysely<Tables>,
  { integrationId, source, tokens }: Erasure,
  reached: Reached,
): Promise<void> {
  const table = source === 'a' ? 'staging.a_users' : 'staging.b_registrants'
  for (const [id, token] of tokens) {
    const common = { source_id: token, doc: '{}', marks: [], version_hash: hashInstead(token) }
    const empty = source === 'a' ? { ...NO_USER, ...common } : { ...NO_REGISTRANT, ...common }
    const { numUpdatedRows } = await transaction
      .updateTable(table as 'staging.a_users')
      .set(empty as typeof common)
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
      .where('resource', 'in', RESOURCES_OF_PEOPLE)
      .where('source_id', '=', id)
      .returning('run_id')
      .execute()
    for (const { run_id } of aside) reached.run(run_id)
    reached.add('sync.unstaged', aside.length)
    const unseen = await transaction
      .updateTable('sync.unseen')
      .set({ source_id: token })
      .where('integration_id', '=', integrationId)
      .where('resource', 'in', RESOURCES_OF_PEOPLE)
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
  const tables: readonly (keyof StagingTables)[] =
    erasure.source === 'a'
      ? ['staging.a_sessions', 'staging.a_users']
      : ['staging.b_sessions', 'staging.b_registrants']
  for (const table of tables) reached.add(table, await reduceTable(transaction, erasure, table, reached))
  if (erasure.source === 'a') {
    for (const [id, token] of erasure.tokens) {
      await transaction
        .updateTable('staging.a_sessions')
        .set((eb) => ({
          speaker_ids: eb.fn<string[]>('array_replace', ['speaker_ids', eb.val(id), eb.val(token)]),
        }))
        .where('integration_id', '=', erasure.integrationId)
        .where((eb) => eb(eb.val(id), '=', eb.fn.any('speaker_ids')))
        .execute()
    }
  }
}

/** @returns versions that named the person */
async function reduceTable(
  transaction: Kysely<Tables>,
  { integrationId, sieve, tokens, addresses }: Erasure,
  table: keyof StagingTables,
  reached: Reached,
): Promise<number> {
  const ids = table === 'staging.a_sessions' || table === 'staging.b_sessions' ? [...tokens.keys()] : []
  const texts = [...ids, ...addresses].map(likeInJson)
  if (texts.length === 0) return 0
  let rows = 0
  for (let last = { source_id: '', valid_from_run: '00000000-0000-0000-0000-000000000000' }; ; ) {
    const page = await transaction
      // One staging table stands for all in the types.
      .selectFrom(table as 'staging.a_sessions')
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
        .updateTable(table as 'staging.a_sessions')
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
