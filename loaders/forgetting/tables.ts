import type { AnyTransform } from '../../transforms/declare/source-transform.ts'
import { tablesOf } from '../../transforms/registry/lineage.ts'

/** Tables that can hold a value of a person, of which nothing must be left when the person is erased. */
export function tablesOfPeople(sources: readonly AnyTransform[]): readonly string[] {
  return [...sources.flatMap((source) => [...tablesOf(source)]), ...TABLES_OF_SYNC]
}

const TABLES_OF_SYNC: readonly string[] = [
  'sync.changes',
  'sync.decisions',
  'sync.desired_items',
  'sync.forgotten',
  'sync.marks',
  'sync.passwords',
  'sync.platform_items',
  'sync.readings',
  'sync.requests',
  'sync.superseded_manifests',
  'sync.suppressed',
  'sync.unseen',
  'sync.unstaged',
]

export const CONTENTS_OF_PEOPLE = ['speakers', 'attendees'] as const
