import { suppress, unsuppress } from '../../../loaders/ledger/suppressed.ts'
import { recordAction } from '../../../pipeline/context/record-action.ts'
import { timestamp } from '../../../pipeline/context/run-context.ts'
import { sourceBindingOf } from '../../../pipeline/context/suppression.ts'
import { writeSuppressionsOfEvent } from '../../../pipeline/people/beside-packs.ts'
import { forget } from '../../../pipeline/people/forget.ts'
import { purge } from '../../../pipeline/people/purge.ts'
import { rename } from '../../../pipeline/rename/rename.ts'
import type { Place } from '../../harness/place.ts'
import type { Deed } from './commands.ts'

/** Does what the command of this name does. */
export async function operate({ context, integration }: Place, deed: Deed): Promise<void> {
  const { database, environment } = context
  switch (deed.is) {
    case 'pause': {
      const until = deed.untilMs === null ? null : new Date(deed.untilMs).toISOString()
      return database.transaction((db) => recordAction(db, context, integration.id, 'paused', { until }))
    }
    case 'resume':
      return database.transaction((db) => recordAction(db, context, integration.id, 'resumed'))
    case 'rename':
      await rename(context, deed.from, deed.to)
      return
    case 'suppress':
    case 'unsuppress': {
      const binding = sourceBindingOf(integration)
      const entry = { ...deed.item, since: timestamp(environment), by: 'Ada' }
      await database.transaction(async (db) => {
        if (deed.is === 'suppress') await suppress(db, binding, entry)
        else await unsuppress(db, binding.event, entry)
      })
      return writeSuppressionsOfEvent(context, integration)
    }
    case 'forget': {
      const sought = { id: deed.item.uniqueId }
      await forget(context, integration, { sought, isDelivered: false })
      return
    }
    case 'purge':
      await purge(context, integration.id, {
        olderThanDays: 1,
        keepRuns: deed.keepRuns,
        packs: false,
        dryRun: false,
      })
  }
}
