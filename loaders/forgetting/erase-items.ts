import { expressionBuilder } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Content, Fields, Tables } from '../../sql/tables.ts'
import type { Redaction } from '../../transforms/rules/people.ts'
import { fieldsNamingPeople } from '../../transforms/rules/platform.ts'
import { CONTENTS_OF_PEOPLE, type Erasing, hashInstead } from './erasure.ts'

export async function eraseDecisions({ transaction, integrationId, tokens, log }: Erasing): Promise<void> {
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
    for (const row of rows) log.span(row.valid_from_run, row.valid_to_run)
    log.add('sync.decisions', rows.length)
  }
}

/** The person's items and those that name the person, as they were desired and as the platform has them. */
export async function eraseItems({ transaction, integrationId, tokens, redaction, log }: Erasing) {
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
        .where(({ and }) => and({ integration_id: integrationId, content, unique_id, valid_from_run }))
        .execute()
      log.span(valid_from_run, valid_to_run)
      log.row('sync.desired_items', [content, unique_id, valid_from_run])
    }
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
        .where(({ and }) => and({ integration_id: integrationId, content, unique_id }))
        .execute()
      log.row('sync.platform_items', [content, unique_id])
    }
  }
}

/** Changes of the person's items and of those that name the person, in every plan. */
export async function eraseChanges({ transaction, integrationId, tokens, redaction, log }: Erasing) {
  for (const [id, token] of tokens) {
    const changes = await transaction
      .selectFrom('sync.changes')
      .where('integration_id', '=', integrationId)
      .where((eb) =>
        eb.or([
          eb.and([eb('content', 'in', CONTENTS_OF_PEOPLE), eb('unique_id', '=', id)]),
          eb.and([
            eb('content', '=', 'agenda'),
            eb.or(naming(id).flatMap((named) => [eb('before', '@>', named), eb('after', '@>', named)])),
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
        .$call(ofRun({ integrationId, runId: run_id }))
        .where('seq', '=', seq)
        .execute()
      log.run(run_id)
      log.row('sync.changes', [run_id, seq])
    }
  }
}

/** Custom fields, in items and changes, that were read from what the records of others lost with the person. */
export async function eraseCustom({ transaction, integrationId, redaction, log }: Erasing): Promise<void> {
  for (const { content, id, texts } of log.losses) {
    const withoutTexts = (fields: Fields) => JSON.stringify(redaction.ofOtherWithout(content, fields, texts))
    const isSame = (fields: Fields | null) =>
      fields === null || withoutTexts(fields) === JSON.stringify(fields)
    const item = { integration_id: integrationId, content, unique_id: id }
    const isItem = expressionBuilder<Tables, 'sync.platform_items'>().and(item)
    const desired = await transaction
      .selectFrom('sync.desired_items')
      .where(isItem)
      .orderBy('valid_from_run')
      .select(['fields', 'valid_from_run', 'valid_to_run'])
      .execute()
    for (const { fields, valid_from_run, valid_to_run } of desired) {
      if (isSame(fields)) continue
      await transaction
        .updateTable('sync.desired_items')
        .set({ fields: withoutTexts(fields) })
        .where(isItem)
        .where('valid_from_run', '=', valid_from_run)
        .execute()
      log.span(valid_from_run, valid_to_run)
      log.row('sync.desired_items', [content, id, valid_from_run])
    }
    const known = await transaction
      .selectFrom('sync.platform_items')
      .where(isItem)
      .select(['fields'])
      .executeTakeFirst()
    if (known !== undefined && !isSame(known.fields)) {
      await transaction
        .updateTable('sync.platform_items')
        .set({ fields: withoutTexts(known.fields) })
        .where(isItem)
        .execute()
      log.row('sync.platform_items', [content, id])
    }
    const changes = await transaction
      .selectFrom('sync.changes')
      .where(isItem)
      .orderBy('run_id')
      .orderBy('seq')
      .select(['run_id', 'seq', 'before', 'after'])
      .execute()
    for (const { run_id, seq, before, after } of changes) {
      if (isSame(before) && isSame(after)) continue
      await transaction
        .updateTable('sync.changes')
        .set({
          before: before === null ? null : withoutTexts(before),
          after: after === null ? null : withoutTexts(after),
          change_hash: hashInstead(run_id, String(seq)),
        })
        .$call(ofRun({ integrationId, runId: run_id }))
        .where('seq', '=', seq)
        .execute()
      log.run(run_id)
      log.row('sync.changes', [run_id, seq])
    }
  }
}

/** Whether an item, desired or on the platform, is the person's own or a session that names the person. */
function isItemOf(id: string) {
  const eb = expressionBuilder<Tables, 'sync.platform_items'>()
  return eb.or([
    eb.and([eb('content', 'in', CONTENTS_OF_PEOPLE), eb('unique_id', '=', id)]),
    eb.and([eb('content', '=', 'agenda'), eb.or(naming(id).map((named) => eb('fields', '@>', named)))]),
  ])
}

/** The token in place of the id of the person's own item; a session that names the person keeps its id. */
function renamed(content: Content, token: string): { readonly unique_id?: string } {
  return content === 'agenda' ? {} : { unique_id: token }
}

function redacted(redaction: Redaction, content: Content, fields: Fields): string {
  return JSON.stringify(
    content === 'agenda' ? redaction.ofOther(fields) : redaction.ofPerson(content, fields),
  )
}

/** What the fields of a session contain that names a person. */
function naming(id: string) {
  const { cast, val } = expressionBuilder<Tables>()
  return fieldsNamingPeople('agenda').map((field) =>
    cast<Fields>(val(JSON.stringify({ [field]: [id] })), 'jsonb'),
  )
}
