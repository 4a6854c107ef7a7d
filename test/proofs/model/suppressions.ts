import { type Draw, traps } from '../../harness/draw.ts'
import type { Content } from './options.ts'

/**
 * A suppressed item. The item was suppressed by an integration that reads this source event, or by an
 * integration that reads another event.
 */
export interface Suppressed {
  readonly content: Content
  readonly uniqueId: string
  readonly by: 'the integration' | 'another integration' | 'both' | 'another source event'
}

export type ItemOfContent = Pick<Suppressed, 'content' | 'uniqueId'>

const count = traps<number>('suppressed', {
  nothing: [4, 0],
  few: [3, ({ random }) => 1 + random.below(3)],
  many: [1, ({ random }) => 6 + random.below(10)],
})

const byWhom = traps<Suppressed['by']>('suppressed by', {
  'the integration': [3, 'the integration'],
  'another integration': [2, 'another integration'],
  both: [1, 'both'],
  'another source event': [1, 'another source event'],
})

/** The items that a test can suppress in a version of the records. */
export interface Suppressible {
  readonly synced: readonly ItemOfContent[]
  /** Items of records that are not synced; they can be suppressed too. */
  readonly others: readonly ItemOfContent[]
}

const UNKNOWN: ItemOfContent = { content: 'attendees', uniqueId: 'nobody; "\\ ÄÖ' }

const whatItem = traps<ItemOfContent, [Suppressible]>('suppressed item', {
  synced: [8, ({ random }, { synced }) => random.pick([...synced, UNKNOWN])],
  'excluded anyway': [2, ({ random }, { others }) => random.pick([...others, UNKNOWN])],
  unknown: [1, UNKNOWN],
  'in another case': [
    1,
    ({ random }, { synced }) => {
      const { content, uniqueId } = random.pick([...synced, UNKNOWN])
      return { content, uniqueId: uniqueId.toUpperCase() }
    },
  ],
})

export function drawSuppressed(draw: Draw, of: Suppressible): readonly Suppressed[] {
  return Array.from({ length: count(draw) }, () => ({ ...whatItem(draw, of), by: byWhom(draw) }))
}
