import { type RawBuilder, sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Db, RunKey } from '../../sql/tables.ts'
import { type Identity, isHandover } from '../rules/handover.ts'

const PAGE = 1000

const NAMES = ['firstName', 'lastName', 'emailAddress'] as const

/**
 * Turns an update of an attendee into a handover if the registration changed hands. The new person must not
 * inherit the account of the previous person. The function examines only updates that change both name and
 * e-mail address.
 *
 * @param hash SQL for the hash that the row `change` gets if it becomes a handover
 */
export async function markHandovers(db: Db, run: RunKey, hash: RawBuilder<Uint8Array>): Promise<void> {
  const value = (side: 'before' | 'after', name: (typeof NAMES)[number]) =>
    sql<string>`coalesce(${sql.ref(side)} ->> ${sql.lit(name)}, '')`
  const differs = (name: (typeof NAMES)[number]) =>
    sql<boolean>`${value('before', name)} <> ${value('after', name)}`
  for (let last = '0'; ; ) {
    const page = await db
      .selectFrom('sync.changes')
      .$call(ofRun(run))
      .where(({ and }) => and({ content: 'attendees', action: 'update' }))
      .where('seq', '>', last)
      .where(differs('emailAddress'))
      .where(({ or }) => or([differs('firstName'), differs('lastName')]))
      .orderBy('seq')
      .limit(PAGE)
      .select('seq')
      .select(
        (['before', 'after'] as const).map((side) =>
          sql<Identity>`jsonb_build_object(${sql.join(NAMES.flatMap((name) => [sql.lit(name), value(side, name)]))})`.as(
            side,
          ),
        ),
      )
      .execute()
    const seqs = page.filter(({ before, after }) => isHandover(before, after)).map(({ seq }) => seq)
    if (seqs.length > 0) {
      await db
        .updateTable('sync.changes as change')
        .set({ action: 'handover', change_hash: hash })
        .where(({ and }) => and({ integration_id: run.integrationId, run_id: run.runId }))
        .where('seq', 'in', seqs)
        .execute()
    }
    if (page.length < PAGE) return
    last = String(page.at(-1)?.seq ?? last)
  }
}
