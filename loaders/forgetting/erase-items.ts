import { expressionBuilder, type Kysely } from 'kysely'
import type { Content, Fields, Tables } from '../../sql/tables.ts'
import type { Redaction } from '../../transforms/rules/redaction.ts'
import { type Erasure, hashInstead } from './erasure.ts'
import type { Reached } from './reached.ts'
import { CONTENTS_OF_PEOPLE } from './tables.ts'

/** Decisions on the person's records, every version. */
export async function eraseDecisions(
  transaction: Kysely<Tables>,
  { integrationId, tokens }: Erasure,
  reached: Reached,
): Promise<void> {
  for (const [id, token] of tokens) {
    const rows = await transaction
      .updateTable('sync.decisions')
      .set((eb) => ({
        source_id: token,
        unique_id: eb.case().when('unique_id', 'is', null).then(eb.lit(null)).else(token).end(),
      }))
      .where('integration_id', '=', integrationId)
      .where('content', 'in', CONTENTS_OF_PEOPLE)
      .where('source_id', '=', id)
      .returning(['valid_from_run', 'valid_to_run'])
      .execute()
    for (const row of rows) reached.span(row.valid_from_run, row.valid_to_run)
    reached.add('sync.decisions', rows.length)
  }
}

/** The person's items and those that name the person, as they were desired and as the platform has them. */
export async function eraseItems(
  transaction: Kysely<Tables>,
  { integrationId, tokens }: Erasure,
  redaction: Redaction,
  reached: Reached,
): Promise<void> {
  for (const [id, token] of tokens) {
    const desired = await transaction
      .selectFrom('sync.desired_items')
      .where('integration_id', '=', integrationId)
      .where(isItemOf(id))
      .orderBy('valid_from_run')
      .orderBy('content')
      .orderBy('unique_id')
      .select(['content', 'unique_id', 'fields', 'valid_from_run', 'valid_to_run'])
      .execute()
    for (const { content, unique_id, fields, valid_from_run, valid_to_run } of desired) {
      await transaction
        .updateTable('sync.desired_items')
        .set({ ...renamed(content, token), fields: redacted(redaction, content, fields) })
        .where('integration_id', '=', integrationId)
        .where('content', '=', content)
        .where('unique_id', '=', unique_id)
        .where('valid_from_run', '=', valid_from_run)
        .execute()
      reached.span(valid_from_run, valid_to_run)
    }
    reached.add('sync.desired_items', desired.length)
    const known = await transaction
      .selectFrom('sync.platform_items')
      .where('integration_id', '=', integrationId)
      .where(isItemOf(id))
      .orderBy('content')
      .orderBy('unique_id')
      .select(['content', 'unique_id', 'fields'])
      .execute()
    for (const { content, unique_id, fields } of known) {
      await transaction
        .updateTable('sync.platform_items')
        .set({ ...renamed(content, token), fields: redacted(redaction, content, fields) })
        .where('integration_id', '=', integrationId)
        .where('content', '=', content)
        .where('unique_id', '=', unique_id)
        .execute()
    }
    reached.add('sync.platform_items', known.length)
  }
}

/** Changes of the person's items and of those that name the person, in every plan. */
export async function eraseChanges(
  transaction: Kysely<Tables>,
  { integrationId, tokens }: Erasure,
  redaction: Redaction,
  reached: Reached,
): Promise<void> {
  for (const [id, token] of tokens) {
    const changes = await transaction
      .selectFrom('sync.changes')
      .where('integration_id', '=', integrationId)
      .where((eb) =>
        eb.or([
          eb.and([eb('content', 'in', CONTENTS_OF_PEOPLE), eb('unique_id', '=', id)]),
          eb.and([
            eb('content', '=', 'agenda'),
            eb.or([eb('before', '@>', naming(id)), eb('after', '@>', naming(id))]),
          ]),
        ]),
      )
      .orderBy('run_id')
      .orderBy('seq')
      .select(['run_id', 'seq', 'content', 'before', 'after'])
      .execute()
    for (const { run_id, seq, content, before, after } of changes) {
      await transaction
        .updateTable('sync.changes')
        .set({
          ...renamed(content, token),
          before: before === null ? null : redacted(redaction, content, before),
          after: after === null ? null : redacted(redaction, content, after),
          change_hash: hashInstead(token, run_id, String(seq)),
        })
        .where('integration_id', '=', integrationId)
        .where('run_id', '=', run_id)
        .where('seq', '=', seq)
        .execute()
      reached.run(run_id)
    }
    reached.add('sync.changes', changes.length)
  }
}

/** Whether an item, desired or on the platform, is the person's own or a session that names the person. */
function isItemOf(id: string) {
  const eb = expressionBuilder<Tables, 'sync.platform_items'>()
  return eb.or([
    eb.and([eb('content', 'in', CONTENTS_OF_PEOPLE), eb('unique_id', '=', id)]),
    eb.and([eb('content', '=', 'agenda'), eb('fields', '@>', naming(id))]),
  ])
}

/** The token in place of the id of the person's own item; a session that names the person keeps its id. */
function renamed(content: Content, token: string): { readonly unique_id?: string } {
  return content === 'agenda' ? {} : { unique_id: token }
}

/** Fields as JSON, without the person. */
function redacted(redaction: Redaction, content: Content, fields: Fields): string {
  return JSON.stringify(
    content === 'agenda' ? redaction.ofOther(fields) : redaction.ofPerson(content, fields),
  )
}

/** Fields of a session that names a speaker. */
function naming(id: string) {
  const { cast, val } = expressionBuilder<Tables>()
  return cast<Fields>(val(JSON.stringify({ speakerIds: [id] })), 'jsonb')
}
