import { findLastRead, findRecords, type LastRead } from '../../loaders/explanation/item.ts'
import { findLeftOut, findRejected, type MissingRecord } from '../../loaders/explanation/missing.ts'
import type { Content, Db } from '../../sql/tables.ts'
import { tableOf } from '../../transforms/decide/lineage.ts'
import type { StagedRecords } from '../../transforms/declare/field.ts'
import { type FlatFields, nameOf } from '../../transforms/declare/field-values.ts'
import { todoOf } from '../../transforms/declare/reasons.ts'
import { findHinted, type Hinted, hintsOf } from '../../transforms/hints/hints.ts'
import { addressesIn, isPersonalId } from '../../transforms/rules/personal-ids.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { silencedHints } from '../context/run-context.ts'
import { findAll, type IsSought, type SoughtBy } from '../people/sought.ts'
import { HIDDEN } from '../runtime/personal.ts'
import { resourcesOf, sourceTypeOf } from '../sources/registry.ts'
import { wordsOfOwnReason } from './own-reasons.ts'

/**
 * A record that is not synced, cannot be read or was rejected, or an item with a hint. The entry says what
 * the organiser can do.
 */
export interface Missing {
  readonly content: Content
  readonly id: string | null
  readonly name: string | null
  readonly reason: string
  /** The reason why the record is missing, as a full sentence. */
  readonly why: string
  /**
   * The advice for the organiser, as a full sentence. The advice begins with "Nothing" if the record may be
   * correct. The advice for a hint ends with the way to switch the hint off.
   */
  readonly todo: string
}

/**
 * Maximum number of items for one hint. If more items have it, the hint says nothing about this programme.
 */
const MOST_HINTED = 10_000

/**
 * Lists the records that the last read left out or could not read, and the items that the platform rejected.
 * The list is returned page by page. After these come the items that have a hint.
 *
 * @param sought people or sessions to which the list is limited; null: all
 * @throws if no run has read the source yet, or if nobody sought is known
 */
export async function findMissing(
  db: Db,
  integration: IntegrationConfig,
  { showPersonal, sought }: { readonly showPersonal: boolean; readonly sought: SoughtBy | null },
) {
  const { id: integrationId, source } = integration
  const lastRead = await findLastRead(db, integrationId)
  if (lastRead === undefined)
    throw new Error(
      `${integrationId}: nothing has been read yet; run \`event-sync run ${integrationId}\` first`,
    )
  const isSought: IsSought = sought === null ? () => true : await findAll(db, integration, sought)
  return { lastRead, pages: pages(lastRead) }

  async function* pages({ run_id: runId, contents }: LastRead): AsyncGenerator<readonly Missing[]> {
    const { transform } = sourceTypeOf(source)
    const run = { integrationId, runId }
    for (const content of contents) {
      const isOne = ({ id }: MissingRecord) => isSought(content, id)
      yield (await findRejected(db, integrationId, content)).filter(isOne).map((record) => told(record, {}))
      const resource = resourcesOf(transform).get(content) ?? ''
      for await (const page of findLeftOut(db, transform, run, content, resource)) {
        const rows: Missing[] = []
        for (const record of page.filter(isOne)) rows.push(told(record, await recordsOf(record)))
        yield rows
      }
    }
    for (const name of hintsOf(contents, silencedHints(integration))) {
      const { rows, todo } = await findHinted(db, run, name, MOST_HINTED)
      const some = rows.filter(({ content, id }) => isSought(content, id))
      yield some.map((hinted) => ({ ...shown(hinted), reason: `hint:${name}`, why: hinted.why, todo }))
    }
  }

  function shown({ content, id, fields }: Hinted): Pick<Missing, 'content' | 'id' | 'name'> {
    const after = fields as FlatFields
    const isHidden = !showPersonal && content !== 'agenda'
    const isHiddenId = !showPersonal && isPersonalId(id, { addresses: addressesIn(after) })
    return { content, id: isHiddenId ? HIDDEN : id, name: isHidden ? HIDDEN : nameOf(content, after) }
  }

  /**
   * Reads the staged records that explain why a record is missing. Records of people who are not speakers are
   * not read, because there are many of them, and all have the same reason.
   */
  async function recordsOf({ content, id, reason, fault }: MissingRecord): Promise<StagedRecords> {
    if (id === null || fault !== null || reason === 'not_a_speaker') return {}
    const { transform } = sourceTypeOf(source)
    const found = await findRecords(db, integrationId, transform, tableOf(transform, content), id)
    return found?.rows ?? {}
  }

  function told(record: MissingRecord, records: StagedRecords): Missing {
    const { content, id, name, reason, lacksOwnId, address } = record
    const isPerson = content !== 'agenda'
    const isHiddenId = id !== null && !showPersonal && isPersonalId(id, { lacksOwnId, addresses: [address] })
    return {
      content,
      id: isHiddenId ? HIDDEN : id,
      name: isPerson && name !== null && !showPersonal ? HIDDEN : name,
      reason,
      ...wordsOf(integration, record, records),
    }
  }
}

function wordsOf(
  integration: IntegrationConfig,
  { content, reason, fault }: MissingRecord,
  records: StagedRecords,
): Pick<Missing, 'why' | 'todo'> {
  if (reason.startsWith('rejected:'))
    return {
      why: `The platform rejected it: ${reason.slice('rejected:'.length)}.`,
      todo: todoOf(reason),
    }
  if (reason === 'invalid_record') return { why: `It could not be read, ${fault}.`, todo: todoOf(reason) }
  if (reason === 'duplicate_id')
    return {
      why: 'A later record has the same id.',
      todo: todoOf(reason),
    }
  const own = wordsOfOwnReason(integration, content, reason, 'UNIQUE_ID')
  if (own !== null) return { why: own.text, todo: own.todo }
  const { transform } = sourceTypeOf(integration.source)
  const { why, todo } = transform.explainExclusion({ content, reason, records }, integration.source)
  return { why, todo }
}
