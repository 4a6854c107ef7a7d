import type { PlanFacts } from '../../../../loaders/packs/plan-page/page.ts'
import type { PlanToShow } from '../../../../loaders/packs/plan-page/planned-items.ts'

/** The facts about a plan that a guard held, in an event two hours ahead of UTC. */
export const FACTS: PlanFacts = {
  integrationId: 'summit',
  eventName: 'Summit 2031',
  runId: '01a1fda0-0000-7000-8000-000000000009',
  planHash: 'cd'.repeat(32),
  plannedAt: '2031-05-01T08:00:00.000Z',
  contents: ['agenda', 'speakers', 'attendees'],
  pinned: null,
  held: { guard: 'removals', detail: '70 of 100 attendees would be removed' },
  counts: {
    changes: {
      agenda: { create: 0, update: 1, remove: 0, unchanged: 3 },
      speakers: { create: 0, update: 0, remove: 1, unchanged: 2 },
      attendees: { create: 1, update: 0, remove: 70, unchanged: 29 },
    },
    excluded: {},
    quarantined: 0,
    kept: 2,
    notes: ['a note of a guard'],
  },
  timeZone: 'Europe/Berlin',
  rollbackTo: null,
  productVersion: '0.0.0',
}

/** Returns the plan of `FACTS`, with a foreign text in every place that can have one. */
export function planWith(text: string): PlanToShow {
  const removal = { content: 'attendees', action: 'remove', reason: 'removed_at_source', fields: [] } as const
  const fields = [
    { name: 'name', before: null, after: text },
    { name: 'startTime', before: '2031-05-04T09:00:00Z', after: text },
  ]
  return {
    counts: [
      { content: 'attendees', action: 'remove', reason: 'removed_at_source', count: 70 },
      { content: 'speakers', action: 'remove', reason: 'not_a_speaker', count: 1 },
      { content: 'agenda', action: 'update', reason: '', count: 1 },
    ],
    lists: [
      {
        content: 'attendees',
        action: 'remove',
        total: 70,
        items: Array.from({ length: 65 }, (_, index) => ({ ...removal, uniqueId: `u${index}`, label: text })),
      },
      {
        content: 'speakers',
        action: 'remove',
        total: 1,
        items: [{ ...removal, content: 'speakers', reason: 'not_a_speaker', uniqueId: text, label: null }],
      },
      {
        content: 'agenda',
        action: 'update',
        total: 1,
        items: [{ content: 'agenda', action: 'update', reason: '', uniqueId: '101', label: text, fields }],
      },
    ],
  }
}
