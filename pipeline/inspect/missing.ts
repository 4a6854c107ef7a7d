import { findLastRead, findRecords, type LastRead } from '../../loaders/explanation/item.ts'
import { findLeftOut, findRejected, type MissingRecord } from '../../loaders/explanation/missing.ts'
import type { Content, Db } from '../../sql/tables.ts'
import { tableOf } from '../../transforms/decide/lineage.ts'
import type { StagedRecords } from '../../transforms/declare/field.ts'
import { flatFields } from '../../transforms/declare/field-values.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { HIDDEN, isAddress, isPersonalId } from '../runtime/personal.ts'
import { resourcesOf, sourceTypeOf } from '../sources/registry.ts'
import { wordsOfOwnReason } from './own-reasons.ts'

/** A record that has no item on the platform, with what the organiser can do. */
export interface Missing {
  readonly content: Content
  readonly id: string | null
  readonly name: string | null
  readonly reason: string
  /** Reason as a sentence. */
  readonly why: string
  /** Advice as a sentence. It begins with "Nothing" if the record may be correct. */
  readonly todo: string
}

/**
 * Lists, page by page, the records that the last read left out or could not read, and the items that the
 * platform rejected.
 *
 * @throws if nothing has been read yet
 */
export async function findMissing(db: Db, integration: IntegrationConfig, showPersonal: boolean) {
  const { id: integrationId, source } = integration
  const lastRead = await findLastRead(db, integrationId)
  if (lastRead === undefined)
    throw new Error(
      `${integrationId}: nothing has been read yet; run \`event-sync run ${integrationId}\` first`,
    )
  return { lastRead, pages: pages(lastRead) }

  async function* pages({ run_id: runId, contents }: LastRead): AsyncGenerator<readonly Missing[]> {
    const { transform } = sourceTypeOf(source)
    const run = { integrationId, runId }
    for (const content of contents) {
      yield (await findRejected(db, integrationId, content)).map((record) => told(record, {}))
      const resource = resourcesOf(transform).get(content) ?? ''
      for await (const page of findLeftOut(db, transform, run, content, resource)) {
        const rows: Missing[] = []
        for (const record of page) rows.push(told(record, await recordsOf(record)))
        yield rows
      }
    }
  }

  /**
   * Reads the staged records that explain a reason. Records of people who are not speakers are not read:
   * there are many, and all have the same reason.
   */
  async function recordsOf({ content, id, reason, fault }: MissingRecord): Promise<StagedRecords> {
    if (id === null || fault !== null || reason === 'not_a_speaker') return {}
    const { transform } = sourceTypeOf(source)
    const found = await findRecords(db, integrationId, transform, tableOf(transform, content), id)
    return found?.rows ?? {}
  }

  function told(record: MissingRecord, records: StagedRecords): Missing {
    const { content, id, name, reason } = record
    const isPerson = content !== 'agenda'
    return {
      content,
      id: !showPersonal && isOfPerson(record) ? HIDDEN : id,
      name: isPerson && name !== null && !showPersonal ? HIDDEN : name,
      reason,
      ...wordsOf(integration, record, records),
    }
  }
}

/** Returns true if an id is the e-mail address of a person. Such an id may not look like an address. */
function isOfPerson({ content, id, lacksOwnId, fields }: MissingRecord): boolean {
  if (id === null) return false
  const after = fields === null ? null : flatFields(fields)
  return lacksOwnId || isAddress(id) || isPersonalId({ content, uniqueId: id, before: null, after })
}

function wordsOf(
  integration: IntegrationConfig,
  { content, reason, fault }: MissingRecord,
  records: StagedRecords,
): Pick<Missing, 'why' | 'todo'> {
  if (reason.startsWith('rejected:'))
    return {
      why: `The platform rejected it: ${reason.slice('rejected:'.length)}.`,
      todo: 'Correct the record at the source, or ask the operator of the platform; the next run tries again.',
    }
  if (reason === 'invalid_record')
    return { why: `It could not be read, ${fault}.`, todo: 'Correct the record at the source.' }
  if (reason === 'duplicate_id')
    return {
      why: 'A later record has the same id.',
      todo: 'Give each record its own id at the source.',
    }
  const own = wordsOfOwnReason(integration, content, reason, 'UNIQUE_ID')
  if (own !== null) return { why: own.text, todo: own.todo }
  const { transform } = sourceTypeOf(integration.source)
  const { why, todo } = transform.explainExclusion({ content, reason, records }, integration.source)
  return { why, todo }
}
