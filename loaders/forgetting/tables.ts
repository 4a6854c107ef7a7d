import { tablesOf } from '../../transforms/lineage.ts'
import type { AnyTransform } from '../../transforms/source-transform.ts'

/** Tables that can hold a value of a person, of which nothing must be left when the person is erased. */
export function tablesOfPeople(sources: readonly AnyTransform[]): readonly string[] {
  return [...sources.flatMap((source) => [...tablesOf(source)]), ...TABLES_OF_SYNC]
}

const TABLES_OF_SYNC: readonly string[] = [
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
