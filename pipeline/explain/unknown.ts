import type { Kysely } from 'kysely'
import { countQuarantined, findElsewhere } from '../../loaders/explanation/elsewhere.ts'
import type { ItemKey } from '../../loaders/explanation/item.ts'
import type { LastRead } from '../../loaders/explanation/runs.ts'
import type { Tables } from '../../sql/tables.ts'
import { counted } from '../../transforms/guards/guard-finding.ts'
import { READING_ORDER } from '../runtime/report.ts'
import { HIDDEN, isAddress } from '../text/personal.ts'
import { word } from '../text/visible.ts'
import { named } from './platform-state.ts'

/** The message for an id of which nothing is known: where else it is known, and what may be it. */
export async function describeUnknown(
  db: Kysely<Tables>,
  key: ItemKey,
  resource: string,
  lastRead: LastRead,
  showPersonal: boolean,
): Promise<string> {
  const { integrationId, content, uniqueId } = key
  const id = !showPersonal && isAddress(uniqueId) ? HIDDEN : word(uniqueId)
  const run = { run: lastRead.run_id, at: lastRead.started_at.toISOString() }
  const lines = [
    `${integrationId}: ${content} has no ${id}, now or before: no run up to ${named(run)} read such a record of ${resource}, and the platform is not known to have such an item; of a person who was forgotten nothing is kept that would tell`,
  ]
  if (!lastRead.contents.includes(content)) {
    lines.push(`${content} is not content of this integration: ${lastRead.contents.join(', ')}`)
  }
  const shown = id === HIDDEN ? 'UNIQUE_ID' : id
  for (const other of await findElsewhere(db, key, READING_ORDER)) {
    lines.push(`${other} has it: event-sync explain ${integrationId} ${other} ${shown}`)
  }
  const quarantined = await countQuarantined(db, { integrationId, runId: lastRead.run_id }, resource)
  if (quarantined > 0) {
    lines.push(
      `${counted(quarantined, 'record')} of ${resource} could not be read, and may be it: event-sync quarantine ${integrationId}`,
    )
  }
  lines.push(
    `ids are case-sensitive, and leading zeros count; existing ids: event-sync sql "${decisionsQuery(integrationId, content)}"`,
  )
  return lines.join('\n  ')
}

/** Query we suggest to users for listing the existing ids. */
const decisionsQuery = (integrationId: string, content: string): string =>
  `select source_id, unique_id, decision, reason from published.decisions where integration_id = '${integrationId}' and content = '${content}'`
