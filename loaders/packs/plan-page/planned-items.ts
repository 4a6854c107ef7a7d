import type { Action, Content, Db, RunKey } from '../../../sql/tables.ts'
import { flatFields, isList, textOf } from '../../../transforms/declare/field-values.ts'
import { fieldsNamingPeople } from '../../../transforms/rules/platform.ts'
import { ACTIONS_BY_WEIGHT } from '../../../transforms/texts/in-the-app.ts'
import type { Mask } from '../csv-files/csv.ts'
import { type ChangedItem, type StoredChange, storedChanges, toChangedItem } from '../csv-files/rows.ts'
import type { PlannedCount } from '../plan-changes.ts'
import { type NamedSessions, namesSessions, titled, withTitles } from './named-sessions.ts'

/** Changes of one content. */
export interface PlannedChanges {
  readonly content: Content
  readonly changes: readonly StoredChange[]
}

/**
 * Reads the changes of a plan page by page, each change once. Removals come first; both groups are sorted by
 * content and unique ID.
 */
export async function* plannedChanges(
  db: Db,
  run: RunKey,
  contents: readonly Content[],
): AsyncGenerator<PlannedChanges> {
  for (const isRemoval of [true, false])
    for (const content of contents)
      for await (const changes of storedChanges(db, run, content, isRemoval)) yield { content, changes }
}

/** The first items of a plan that have the same action and content. */
export interface PlannedList {
  readonly action: Action
  readonly content: Content
  readonly total: number
  readonly items: readonly PlannedItem[]
}

/** An item that the plan would change, with the facts that the page shows. */
export interface PlannedItem extends ChangedItem {
  /**
   * Titles of the sessions that the plan removes and to which the item therefore no longer refers; left out
   * if there are no such sessions.
   */
  readonly lostSessions?: readonly string[]
}

export interface PlanToShow {
  readonly counts: readonly PlannedCount[]
  readonly lists: readonly PlannedList[]
}

/**
 * Maximum number of removals that the page shows per content. The limit for removals is higher than for other
 * actions, because a person decides on each removal.
 */
const MOST_REMOVALS = 400
const MOST_OTHERS = 100

function mostOf(action: Action): number {
  return action === 'remove' ? MOST_REMOVALS : MOST_OTHERS
}

/** All counts of a plan and its first changes, which are the data for the plan's pages. */
export type PlanOverview = ReturnType<typeof makeOverview>

/** Makes an empty overview of a plan. The caller adds each change of the plan while reading it. */
export function makeOverview(contents: readonly Content[]) {
  const counts = new Map<string, PlannedCount>()
  const lists = new Map<string, { content: Content; action: Action; first: StoredChange[] }>()
  for (const action of ACTIONS_BY_WEIGHT)
    for (const content of contents) lists.set(`${action} ${content}`, { content, action, first: [] })
  const idsIn = (idsOf: (content: Content, change: StoredChange) => readonly string[]) => [
    ...new Set(
      [...lists.values()].flatMap(({ content, first }) => first.flatMap((change) => idsOf(content, change))),
    ),
  ]
  return {
    add({ content, changes }: PlannedChanges): void {
      for (const change of changes) {
        const { action, reason } = change
        const key = `${content} ${action} ${reason}`
        counts.set(key, { content, action, reason, count: (counts.get(key)?.count ?? 0) + 1 })
        const first = lists.get(`${action} ${content}`)?.first
        if (first !== undefined && first.length < mostOf(action)) first.push(change)
      }
    },
    /** Returns the ids of the people whom the first changes of the plan name. */
    idsOfPeople: () => idsIn(idsOfPeopleIn),
    /** Returns the ids of the sessions to which the changes on the page refer. */
    idsOfSessions: () =>
      idsIn((content, { before, after }) =>
        [before, after].flatMap((fields) =>
          [...sessionsIn(content, fields).values()].flatMap((ids) => [...ids]),
        ),
      ),
    /** @param share share (0 to 1) of the first changes that the page shows */
    show(mask: Mask, sessions: NamedSessions, share: number): PlanToShow {
      const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count)
      return {
        counts: sorted,
        lists: [...lists.values()].flatMap(({ content, action, first }) => {
          const of = sorted.filter((one) => one.content === content && one.action === action)
          const total = of.reduce((sum, { count }) => sum + count, 0)
          const shown = first.slice(0, Math.ceil(mostOf(action) * share))
          const items = shown.map((change) => ({
            ...toChangedItem(content, change, withTitles(mask, sessions)),
            lostSessions: lostSessions(content, change, sessions).map((id) => titled(id, mask, sessions)),
          }))
          return total === 0 ? [] : [{ action, content, total, items }]
        }),
      }
    },
  }
}

/** Returns the ids of the sessions to which an item refers, by field. */
function sessionsIn(
  content: Content,
  fields: StoredChange['before'],
): ReadonlyMap<string, ReadonlySet<string>> {
  const named = Object.entries(flatFields(fields ?? {})).filter(([name]) => namesSessions(content, name))
  return new Map(named.map(([name, value]) => [name, new Set(isList(value) ? value : [textOf(value)])]))
}

/** Returns the ids of the sessions that the plan removes and to which an item therefore no longer refers. */
function lostSessions(
  content: Content,
  { before, after }: StoredChange,
  { removed }: NamedSessions,
): readonly string[] {
  const left = sessionsIn(content, after)
  const lost = [...sessionsIn(content, before)].flatMap(([name, ids]) =>
    [...ids].filter((id) => removed.has(id) && left.get(name)?.has(id) !== true),
  )
  return [...new Set(lost)]
}

function idsOfPeopleIn(content: Content, { unique_id, before, after }: StoredChange): readonly string[] {
  const named = [flatFields(before ?? {}), flatFields(after ?? {})].flatMap((fields) =>
    fieldsNamingPeople(content).flatMap((field) => {
      const value = fields[field]
      return value === undefined ? [] : isList(value) ? value : [textOf(value)]
    }),
  )
  return content === 'agenda' ? named : [unique_id, ...named]
}
