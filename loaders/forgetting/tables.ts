/** Tables that can hold a value of a person, of which nothing must be left when the person is erased. */
export const TABLES_OF_PEOPLE: readonly string[] = [
  'staging.a_sessions',
  'staging.a_users',
  'staging.b_registrants',
  'staging.b_sessions',
  'sync.changes',
  'sync.decisions',
  'sync.desired_items',
  'sync.forgotten',
  'sync.passwords',
  'sync.platform_items',
  'sync.readings',
  'sync.requests',
  'sync.superseded_manifests',
  'sync.unseen',
  'sync.unstaged',
]

/** Contents whose items are people. */
export const CONTENTS_OF_PEOPLE = ['speakers', 'attendees'] as const

/** Resources whose records are people. */
export const RESOURCES_OF_PEOPLE = ['users', 'registrants'] as const
