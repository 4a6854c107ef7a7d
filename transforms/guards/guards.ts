/**
 * Every guard, with its condition for holding a plan and the configuration key of its limit. See also
 * transforms/README.md.
 */
export const GUARDS = {
  emptied: { holds: 'a resource that had records has none', option: null },
  speakerType: { holds: 'Source B has no registrant type of the configured name', option: null },
  blackout: {
    holds: 'a field that most records had comes back almost empty, so that items would lose it or disappear',
    option: 'guards.blackout',
  },
  preexisting: {
    holds: 'it would remove an item that the platform had before the first run',
    option: 'removals.action',
  },
  statedRemovals: {
    holds: 'records state of too many items that they go (cancelled, not published, no longer a speaker)',
    option: 'removals.maxStatedShare',
  },
  removals: {
    holds: 'too many items would be removed whose records do not ask for it, or a content would become empty',
    option: 'removals.maxShare and removals.minCount',
  },
  massUpdate: {
    holds: 'too many items would change in the same field, or too many attendees would become other people',
    option: 'guards.massUpdate',
  },
} as const

export type GuardName = keyof typeof GUARDS
