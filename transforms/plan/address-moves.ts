import { sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Action, Db, RunKey } from '../../sql/tables.ts'
import { addressKey } from '../rules/addresses.ts'
import { isOneOfAddresses } from '../rules/one-of-addresses.ts'

/** A change of an attendee that frees an e-mail address, takes over an address, or does both. */
interface Move {
  readonly seq: number
  readonly uniqueId: string
  readonly action: Action
  readonly before: string | null
  readonly after: string | null
}

/** Position of a change in the new order of sending. */
interface Place {
  readonly seq: number
  readonly phase: 'freeing' | 'upserts'
  /** Number of the first change in the group that must be sent together; null for a removal. */
  readonly together: number | null
  /** Position of the change within its group, starting at 0. */
  readonly place: number
}

/**
 * Orders the stored changes of a run so that an e-mail address is free before another attendee takes it over.
 * On many platforms, only one attendee at a time can have an e-mail address. Without a good order, an upsert
 * that takes over an address too early would be rejected in every run.
 *
 * A removal that frees an address is sent before all upserts. Upserts that take over addresses from each
 * other are marked for sending in one batch. In a batch of upserts that take over addresses from each other,
 * the upsert that frees an address comes first.
 */
export async function orderAddressMoves(db: Db, run: RunKey): Promise<void> {
  const giving = await selectMoves(db, run)
    // Handovers are left out, because their removal frees the address before all upserts anyway.
    .where('action', '<>', 'handover')
    .where(sql<boolean>`before ->> 'emailAddress' is distinct from after ->> 'emailAddress'`)
    .where(sql<boolean>`before ->> 'emailAddress' is not null`)
    .execute()
  if (giving.length === 0) return
  const addresses = new Set(giving.flatMap(({ before }) => before ?? []))
  const taking = await selectMoves(db, run)
    .where(isOneOfAddresses(sql`(after ->> 'emailAddress')`, [...addresses]))
    .execute()
  const places = placesOf(giving.map(toMove), taking.map(toMove))
  if (places.length > 0) await reorder(db, run, places)
}

function selectMoves(db: Db, run: RunKey) {
  return db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .where('content', '=', 'attendees')
    .orderBy('seq')
    .select(['seq', 'unique_id', 'action'])
    .select([
      sql<string | null>`before ->> 'emailAddress'`.as('before'),
      sql<string | null>`after ->> 'emailAddress'`.as('after'),
    ])
}

function toMove(row: Awaited<ReturnType<ReturnType<typeof selectMoves>['execute']>>[number]): Move {
  return { ...row, seq: Number(row.seq), uniqueId: row.unique_id }
}

/**
 * Finds the new positions of two kinds of changes: changes that wait for another change, and changes for
 * which another change waits.
 */
export function placesOf(giving: readonly Move[], taking: readonly Move[]): readonly Place[] {
  const keyOf = (address: string | null) => (address === null ? null : addressKey(address))
  const givers = Map.groupBy(
    giving.filter(({ before, after }) => keyOf(before) !== keyOf(after)),
    ({ before }) => keyOf(before),
  )
  const waitsFor = new Map<Move, readonly Move[]>()
  const moves = new Map(giving.map((move) => [move.seq, move]))
  for (const one of taking) {
    if (keyOf(one.before) === keyOf(one.after)) continue
    const others = (givers.get(keyOf(one.after)) ?? []).filter(({ uniqueId }) => uniqueId !== one.uniqueId)
    if (others.length > 0) waitsFor.set(moves.get(one.seq) ?? one, others)
  }
  const removals = new Set([...waitsFor.values()].flat().filter(({ action }) => action === 'remove'))
  return [
    ...[...removals].map(({ seq }): Place => ({ seq, phase: 'freeing', together: null, place: 0 })),
    ...groupsOf(waitsFor).flatMap((group) => {
      const together = Math.min(...group.map(({ seq }) => seq))
      return group.map(({ seq }, place): Place => ({ seq, phase: 'upserts', together, place }))
    }),
  ]
}

/**
 * Groups the upserts that wait for each other because of an address. Within a group, an upsert comes after
 * the upserts that free its address, except if the upserts wait for each other in a circle.
 */
function groupsOf(waitsFor: ReadonlyMap<Move, readonly Move[]>): readonly (readonly Move[])[] {
  const neighbours = new Map<Move, Set<Move>>()
  const join = (one: Move, other: Move) => neighbours.set(one, (neighbours.get(one) ?? new Set()).add(other))
  const upsertsBefore = (move: Move) => (waitsFor.get(move) ?? []).filter(({ action }) => action !== 'remove')
  for (const move of waitsFor.keys()) {
    for (const other of upsertsBefore(move)) {
      join(move, other)
      join(other, move)
    }
  }
  const seen = new Set<Move>()
  const groups: Move[][] = []
  for (const start of neighbours.keys()) {
    if (seen.has(start)) continue
    seen.add(start)
    const members = [start]
    // The loop appends to the list that it reads, until the list has all connected moves.
    for (const member of members) {
      for (const other of neighbours.get(member) ?? []) {
        if (!seen.has(other)) members.push(other)
        seen.add(other)
      }
    }
    groups.push(inOrder(members, upsertsBefore))
  }
  return groups
}

/**
 * Puts each move after the moves for which it waits. If moves wait for each other in a circle, one move has
 * to come first. The function is not recursive, because a long chain of moves would exceed the call stack.
 */
function inOrder(members: readonly Move[], before: (move: Move) => readonly Move[]): Move[] {
  const ordered = new Set<Move>()
  for (const member of members.toSorted((one, other) => one.seq - other.seq)) {
    const path = [member]
    const onPath = new Set(path)
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const next = before(last).find((other) => !ordered.has(other) && !onPath.has(other))
      if (next === undefined) {
        ordered.add(last)
        path.pop()
      } else {
        path.push(next)
        onPath.add(next)
      }
    }
  }
  return [...ordered]
}

async function reorder(db: Db, run: RunKey, places: readonly Place[]): Promise<void> {
  // The numbers are changed in two steps, first to negative numbers. Two changes of a run must never have the
  // same number, not even during a statement.
  await sql`with moved (seq, phase, together, place) as (
      select * from unnest(
        ${places.map(({ seq }) => seq)}::bigint[],
        ${places.map(({ phase }) => phase)}::text[],
        ${places.map(({ together }) => together)}::bigint[],
        ${places.map(({ place }) => place)}::integer[]
      )
    ), ordered as (
      select
        change.seq,
        coalesce(moved.phase, change.phase) as phase,
        moved.together,
        row_number() over (
          order by
            array_position(array['freeing', 'upserts', 'removals'], coalesce(moved.phase, change.phase)),
            coalesce(moved.together, change.seq),
            coalesce(moved.place, 0)
        ) as new_seq
      from sync.changes as change
      left join moved on moved.seq = change.seq
      where change.integration_id = ${run.integrationId}
        and change.run_id = ${run.runId}
    )
    update sync.changes as change
    set seq = -ordered.new_seq, phase = ordered.phase, together = ordered.together
    from ordered
    where change.integration_id = ${run.integrationId}
      and change.run_id = ${run.runId}
      and change.seq = ordered.seq`.execute(db)
  await db.updateTable('sync.changes').set({ seq: sql`-seq` }).$call(ofRun(run)).execute()
}
