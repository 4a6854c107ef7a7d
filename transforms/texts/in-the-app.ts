import { type Action, type ChangeCounts, CONTENTS, type Content, type RunCounts } from '../../sql/tables.ts'
import { counted } from './counted.ts'
import { withAnd } from './with-and.ts'

/** Nouns for the items of each content, for people who do not know the product. */
export const NOUN: Readonly<Record<Content, string>> = {
  agenda: 'session',
  speakers: 'speaker',
  attendees: 'attendee',
}

/** Texts about what each action means for people who use the app. */
export const WOULD: Readonly<Record<Action, string>> = {
  remove: 'would disappear from the app',
  handover: 'would be replaced by another person',
  update: 'would change in the app',
  create: 'would be added to the app',
}

/**
 * Actions, ordered by their effect on the users of the app. The first two actions take something away from
 * users.
 */
export const ACTIONS_BY_WEIGHT: readonly Action[] = ['remove', 'handover', 'update', 'create']

const NONE: ChangeCounts = { create: 0, update: 0, remove: 0, unchanged: 0 }

/**
 * Says in plain words what a plan would change. Removals come first, for example
 * `6 of 10 sessions and 16 of 35 attendees would disappear from the app`. Returns an empty text if the plan
 * changes nothing.
 */
export function changesInPlainWords(changes: RunCounts['changes']): string {
  return ACTIONS_BY_WEIGHT.flatMap((action) => {
    const items = CONTENTS.flatMap((content) => {
      const { create, update, handover = 0, remove, unchanged } = changes[content] ?? NONE
      const count = { create, update, handover, remove }[action]
      const inApp = update + handover + remove + unchanged
      if (count === 0) return []
      return action === 'create'
        ? counted(count, NOUN[content])
        : `${count} of ${counted(inApp, NOUN[content])}`
    })
    return items.length === 0 ? [] : `${withAnd(items)} ${WOULD[action]}`
  }).join('; ')
}
