import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
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
export async function eraseItems(erasing: Erasing): Promise<void> {
  for (const [id, token] of erasing.tokens)
    await rewriteItems(erasing, isItemOf(id), { token, fieldsOf: redacted(erasing.redaction) })
}

/** Changes of the person's items and of those that name the person, in every plan. */
export async function eraseChanges(erasing: Erasing): Promise<void> {
  for (const [id, token] of erasing.tokens)
    await rewriteChanges(erasing, isChangeOf(id), { token, fieldsOf: redacted(erasing.redaction) })
}

/** Custom fields, in items and changes, that were read from what the records of others lost with the person. */
export async function eraseCustom(erasing: Erasing): Promise<void> {
  for (const { content, id, texts } of erasing.log.losses) {
    const isItem = expressionBuilder<Tables, 'sync.platform_items'>().and({ content, unique_id: id })
    const rewriting: Rewriting = {
      token: null,
      fieldsOf: (of, fields) => erasing.redaction.ofOtherWithout(of, fields, texts),
    }
    await rewriteItems(erasing, isItem, rewriting)
    await rewriteChanges(erasing, isItem, rewriting)
  }
}

interface Rewriting {
  /** In place of the id of the person's own item; null where no item is: then rows whose fields stay are left alone. */
  readonly token: string | null
  fieldsOf(content: Content, fields: Fields): Fields
}

async function rewriteItems(
  { transaction, integrationId, log }: Erasing,
  isItem: Expression<SqlBool>,
  rewriting: Rewriting,
): Promise<void> {
  const desired = await transaction
    .selectFrom('sync.desired_items')
    .where('integration_id', '=', integrationId)
    .where(isItem)
    .orderBy('valid_from_run')
    .orderBy('content')
    .orderBy('unique_id')
    .select(['content', 'unique_id', 'fields', 'valid_from_run', 'valid_to_run'])
    .execute()
  for (const { content, unique_id, fields, valid_from_run, valid_to_run } of desired) {
    if (isKept(rewriting, content, [fields])) continue
    await transaction
      .updateTable('sync.desired_items')
      .set({ ...renamed(rewriting, content), fields: rewritten(rewriting, content, fields) })
      .where(({ and }) => and({ integration_id: integrationId, content, unique_id, valid_from_run }))
      .execute()
    log.span(valid_from_run, valid_to_run)
    log.row('sync.desired_items', [content, unique_id, valid_from_run])
  }
  const known = await transaction
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .where(isItem)
    .orderBy('content')
    .orderBy('unique_id')
    .select(['content', 'unique_id', 'fields'])
    .execute()
  for (const { content, unique_id, fields } of known) {
    if (isKept(rewriting, content, [fields])) continue
    await transaction
      .updateTable('sync.platform_items')
      .set({ ...renamed(rewriting, content), fields: rewritten(rewriting, content, fields) })
      .where(({ and }) => and({ integration_id: integrationId, content, unique_id }))
      .execute()
    log.row('sync.platform_items', [content, unique_id])
  }
}

async function rewriteChanges(
  { transaction, integrationId, log }: Erasing,
  isChange: Expression<SqlBool>,
  rewriting: Rewriting,
): Promise<void> {
  const changes = await transaction
    .selectFrom('sync.changes')
    .where('integration_id', '=', integrationId)
    .where(isChange)
    .orderBy('run_id')
    .orderBy('seq')
    .select(['run_id', 'seq', 'content', 'before', 'after'])
    .execute()
  for (const { run_id, seq, content, before, after } of changes) {
    if (isKept(rewriting, content, [before, after])) continue
    await transaction
      .updateTable('sync.changes')
      .set({
        ...renamed(rewriting, content),
        before: before === null ? null : rewritten(rewriting, content, before),
        after: after === null ? null : rewritten(rewriting, content, after),
        change_hash: hashInstead(...(rewriting.token === null ? [] : [rewriting.token]), run_id, String(seq)),
      })
      .$call(ofRun({ integrationId, runId: run_id }))
      .where('seq', '=', seq)
      .execute()
    log.run(run_id)
    log.row('sync.changes', [run_id, seq])
  }
}

function isKept(rewriting: Rewriting, content: Content, all: readonly (Fields | null)[]): boolean {
  const isSame = (fields: Fields | null) =>
    fields === null || rewritten(rewriting, content, fields) === JSON.stringify(fields)
  return rewriting.token === null && all.every(isSame)
}

function rewritten({ fieldsOf }: Rewriting, content: Content, fields: Fields): string {
  return JSON.stringify(fieldsOf(content, fields))
}

/** The token in place of the id of the person's own item; a session that names the person keeps its id. */
function renamed({ token }: Rewriting, content: Content): { readonly unique_id?: string } {
  return token === null || content === 'agenda' ? {} : { unique_id: token }
}

function redacted(redaction: Redaction): Rewriting['fieldsOf'] {
  return (content, fields) =>
    content === 'agenda' ? redaction.ofOther(fields) : redaction.ofPerson(content, fields)
}

/** Whether an item, desired or on the platform, is the person's own or a session that names the person. */
function isItemOf(id: string) {
  const eb = expressionBuilder<Tables, 'sync.platform_items'>()
  return isOfPerson(id, eb('fields', '@>', naming(id)))
}

function isChangeOf(id: string) {
  const eb = expressionBuilder<Tables, 'sync.changes'>()
  return isOfPerson(id, eb.or([eb('before', '@>', naming(id)), eb('after', '@>', naming(id))]))
}

function isOfPerson(id: string, isNaming: Expression<SqlBool>) {
  const eb = expressionBuilder<Tables, 'sync.platform_items'>()
  return eb.or([
    eb.and([eb('content', 'in', CONTENTS_OF_PEOPLE), eb('unique_id', '=', id)]),
    eb.and([eb('content', '=', 'agenda'), isNaming]),
  ])
}

function naming(id: string) {
  const { cast, val } = expressionBuilder<Tables>()
  return fieldsNamingPeople('agenda').map((field) =>
    cast<Fields>(val(JSON.stringify({ [field]: [id] })), 'jsonb'),
  )
}
