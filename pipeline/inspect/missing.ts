import {
  findChanges,
  findDecision,
  findKnown,
  findLandedRead,
  findLastRead,
  findLaterRun,
  findRecords,
  findStarts,
  type ItemKey,
  type LastRead,
} from '../../loaders/explanation/item.ts'
import { findLeftOut, findRejected, type MissingRecord } from '../../loaders/explanation/missing.ts'
import { findNames } from '../../loaders/people/named.ts'
import { countChanges, type Db } from '../../sql/tables.ts'
import { tableOf } from '../../transforms/decide/lineage.ts'
import type { StagedRecords } from '../../transforms/declare/field.ts'
import { type FlatFields, nameOf } from '../../transforms/declare/field-values.ts'
import { todoOf } from '../../transforms/declare/reasons.ts'
import { findHinted, type Hinted, hintsOf } from '../../transforms/hints/hints.ts'
import { addressesIn, isPersonalId } from '../../transforms/rules/personal-ids.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { silencedHints } from '../context/run-context.ts'
import { findAll, type SoughtBy, type SoughtRecords } from '../people/sought.ts'
import { HIDDEN } from '../runtime/personal.ts'
import type { Missing, RunAt, SoughtItem, WaitingRun } from '../schemas/items.ts'
import { resourcesOf, sourceTypeOf } from '../sources/registry.ts'
import { wordsOfOwnReason } from './own-reasons.ts'

/** Maximum number of named records about which `missing` says if they are in the app. */
const MOST_SOUGHT = 20

/**
 * Maximum number of items for one hint. If more items have it, the hint says nothing about this programme.
 */
const MOST_HINTED = 10_000

/**
 * Lists the records that the last read left out or could not read, and the items that the platform rejected.
 * The list is returned page by page. The last pages have the items with a hint.
 *
 * If the plan of the last read was not sent, for example because a guard holds it, the list describes the
 * last run that landed. A list of the last read would not fit what the app shows, and the source may have
 * been faulty.
 *
 * @param sought people or sessions to which the list is limited; null if the list is not limited
 * @returns `waiting`: the newer run whose changes are not in the app; null if there is no such run. `sought`:
 *   for each named record, if it is in the app, was removed or is not sent yet
 * @throws if no run has read the source yet, or if no record is known that the user named
 */
export async function findMissing(
  db: Db,
  integration: IntegrationConfig,
  { showPersonal, sought }: { readonly showPersonal: boolean; readonly sought: SoughtBy | null },
) {
  const { id: integrationId, source } = integration
  const newest = await findLastRead(db, integrationId)
  if (newest === undefined)
    throw new Error(
      `${integrationId}: nothing has been read yet; run \`event-sync run ${integrationId}\` first`,
    )
  const named = sought === null ? null : await findAll(db, integration, sought)
  const isSought: SoughtRecords['has'] = named === null ? () => true : named.has
  const isInApp = newest.applied_at !== null || (newest.held === null && !hasChanges(newest))
  const read = isInApp ? newest : ((await findLandedRead(db, integrationId)) ?? newest)
  const isNewest = read.run_id === newest.run_id
  return {
    read,
    waiting: isInApp ? await findFailed(db, integrationId, newest) : waitingRunOf(newest),
    pages: pages(read),
    sought: named === null ? null : await whereAre(named, newest),
  }

  async function* pages({ run_id: runId, contents }: LastRead): AsyncGenerator<readonly Missing[]> {
    const { transform } = sourceTypeOf(source)
    const run = { integrationId, runId, isNewest }
    const listed = new Set<string>()
    for (const content of contents) {
      const isOne = ({ id }: MissingRecord) => isSought(content, id)
      yield (await findRejected(db, run, content)).filter(isOne).map((record) => told(record, {}))
      const resource = resourcesOf(transform).get(content) ?? ''
      // Speakers and attendees may be made from one resource. The unreadable records of this resource are
      // listed only once.
      const unreadOf = listed.has(resource) ? null : resource
      listed.add(resource)
      for await (const page of findLeftOut(db, transform, run, content, unreadOf)) {
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
    const asOf = isNewest ? null : read.run_id
    const found = await findRecords(db, integrationId, transform, tableOf(transform, content), id, asOf)
    return found?.rows ?? {}
  }

  /**
   * Says for each named record if it is in the app, was removed from the app, or is not sent yet. Named
   * records that are missing are in the list of missing records instead.
   */
  async function whereAre({ ids }: SoughtRecords, newest: LastRead): Promise<readonly SoughtItem[]> {
    const { transform } = sourceTypeOf(source)
    const items: SoughtItem[] = []
    for (const [content, ofContent] of ids) {
      const some = [...ofContent].sort().slice(0, MOST_SOUGHT)
      const records = some.length === 0 ? [] : await findNames(db, integrationId, transform, content, some)
      for (const { id, name, lacksOwnId, address } of records) {
        const standing = await standingOf(db, { integrationId, content, uniqueId: id }, newest)
        const isHiddenId = !showPersonal && isPersonalId(id, { lacksOwnId, addresses: [address] })
        const isHidden = !showPersonal && content !== 'agenda' && name !== null
        const shown = { id: isHiddenId ? HIDDEN : id, name: isHidden ? HIDDEN : name }
        if (standing !== null) items.push({ content, ...shown, ...standing })
      }
    }
    return items.slice(0, MOST_SOUGHT)
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

function hasChanges({ counts }: LastRead): boolean {
  return countChanges(counts?.changes) > 0
}

function waitingRunOf({ run_id: run, started_at, planned_at, status, held }: LastRead): WaitingRun {
  const plannedAt = planned_at?.toISOString() ?? null
  return { run, startedAt: started_at.toISOString(), status, plannedAt, guard: held?.guard ?? null }
}

/** Finds a newer run that failed, or that died before it stored a plan. */
async function findFailed(db: Db, integrationId: string, { run_id }: LastRead): Promise<WaitingRun | null> {
  const later = await findLaterRun(db, integrationId, run_id)
  if (later?.status !== 'failed' && later?.status !== 'abandoned') return null
  const { run_id: run, started_at, status } = later
  return { run, startedAt: started_at.toISOString(), status, plannedAt: null, guard: null }
}

/** Returns null for a record that the source has and that has never had an item. */
async function standingOf(
  db: Db,
  key: ItemKey,
  newest: LastRead,
): Promise<Pick<SoughtItem, 'standing' | 'removedBy' | 'goneSince'> | null> {
  const decision = await findDecision(db, key)
  const goneSince = await findGoneSince(db, key, decision?.valid_to_run ?? null, newest)
  if ((await findKnown(db, key)) !== undefined) return { standing: 'in_app', removedBy: null, goneSince }
  const changes = await findChanges(db, key)
  const removal = changes.find(({ action, state }) => action === 'remove' && state === 'applied')
  if (removal !== undefined) {
    const { run_id: run, started_at, reason } = removal
    return { standing: 'removed', removedBy: { run, at: started_at.toISOString(), reason }, goneSince }
  }
  // Most people never spoke. If such a person is gone, only the item of the attendee is of interest.
  if (goneSince !== null && decision?.reason !== 'not_a_speaker')
    return { standing: 'gone', removedBy: null, goneSince }
  const isSynced = decision?.decision === 'synced' && decision.valid_to_run === null
  return isSynced ? { standing: 'not_sent', removedBy: null, goneSince } : null
}

/** Finds the run that ended the decision on a record. A rollback ends decisions on records that the source has. */
async function findGoneSince(
  db: Db,
  { integrationId }: ItemKey,
  run: string | null,
  newest: LastRead,
): Promise<RunAt | null> {
  if (run === null || (newest.rollback_to !== null && newest.run_id === run)) return null
  const at: string | undefined = (await findStarts(db, integrationId, [run])).get(run)
  return at === undefined ? null : { run, at }
}

function wordsOf(
  integration: IntegrationConfig,
  { content, id, reason, fault, place }: MissingRecord,
  records: StagedRecords,
): Pick<Missing, 'why' | 'todo'> {
  if (reason.startsWith('rejected:'))
    return {
      why: `The platform rejected it: ${reason.slice('rejected:'.length)}.`,
      todo: todoOf(reason),
    }
  if (reason === 'invalid_record') {
    const isNamed = id !== null || place === null
    const why = isNamed
      ? `It could not be read, ${fault}.`
      : `Record ${place.ordinal} of ${place.resource} could not be read, ${fault}.`
    return { why, todo: todoOf(reason) }
  }
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
