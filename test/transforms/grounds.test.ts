import { describe, expect, test } from 'vitest'
import type { Content } from '../../sql/tables.ts'
import { originsOfColumn } from '../../transforms/lineage.ts'
import { marksOf } from '../../transforms/marks.ts'
import { removedSince } from '../../transforms/removed-since.ts'
import { transformA } from '../../transforms/source-a/index.ts'
import { transformB } from '../../transforms/source-b/index.ts'
import type { Excluded } from '../../transforms/source-grounds.ts'
import { DEFAULTS as optionsOfA } from './source-a/options.ts'
import { DEFAULTS as optionsOfB } from './source-b/options.ts'

const a = {
  name: 'a',
  transform: transformA,
  groundsOf: (excluded: Excluded) => transformA.grounds(excluded, optionsOfA),
}
const b = {
  name: 'b',
  transform: transformB,
  groundsOf: (excluded: Excluded) => transformB.grounds(excluded, optionsOfB),
}

/** The closed list of design 9, as far as each source and content can come to it. */
const REASONS: readonly (readonly [typeof a | typeof b, Content, readonly string[]])[] = [
  [
    a,
    'agenda',
    [
      'not_published',
      'one_to_one_meeting',
      'missing_required:name',
      'missing_required:startTime',
      'missing_required:endTime',
      'bad_time',
    ],
  ],
  [
    a,
    'speakers',
    [
      'not_a_speaker',
      'not_published',
      'missing_required:firstName',
      'missing_required:lastName',
      'missing_required:uniqueId',
    ],
  ],
  [
    a,
    'attendees',
    ['missing_required:firstName', 'missing_required:lastName', 'missing_required:emailAddress'],
  ],
  [
    b,
    'agenda',
    ['missing_required:name', 'missing_required:startTime', 'missing_required:endTime', 'bad_time'],
  ],
  [b, 'speakers', ['cancelled', 'not_a_speaker', 'missing_required:firstName', 'missing_required:lastName']],
  [
    b,
    'attendees',
    ['cancelled', 'missing_required:firstName', 'missing_required:lastName', 'missing_required:emailAddress'],
  ],
]

describe.each(REASONS.map(([source, content, reasons]) => [source.name, content, source, reasons] as const))(
  'source %s, %s',
  (_, content, source, reasons) => {
    test.each(reasons)('%s is told in sentences, with columns that stand at the source', (reason) => {
      const { why, todo, columns } = source.groundsOf({ content, reason, records: {} })
      for (const sentence of [why, todo]) expect(sentence).toMatch(/^[A-Z].*\.$/s)
      expect(columns).not.toEqual([])
      for (const column of columns) expect(originsOfColumn(source.transform, column)).not.toEqual([])
      expect(removedSince(reason)).not.toBe('its record does not qualify')
    })
  },
)

test('of options that decide, those in force are named', () => {
  const why = (options: Partial<typeof optionsOfA>, content: Content, reason: string) =>
    transformA.grounds({ content, reason, records: {} }, { ...optionsOfA, ...options }).why
  expect(why({ sessionStatuses: ['Accepted'] }, 'agenda', 'not_published')).toContain(
    'source.sessionStatuses: Accepted',
  )
  expect(why({ speakers: 'role' }, 'speakers', 'not_a_speaker')).toContain('source.speakers: role')
  expect(why({ speakers: 'both' }, 'speakers', 'not_a_speaker')).toContain('source.speakers: both')
})

test('every mark has its words', () => {
  expect(marksOf('')).toEqual([])
  const detail =
    'ambiguous_time:startTime; dangling_reference:location; left_out:linkUrls; not_synced:attendeeId=1; not_synced:sessionIds=12; not_text:name; unsupported_character:name'
  const marks = marksOf(detail)
  expect(marks.map(({ mark }) => mark).join('; ')).toBe(detail)
  for (const { text } of marks) expect(text.length).toBeGreaterThan(20)
  expect(marks[4]).toEqual({
    mark: 'not_synced:sessionIds=12',
    kind: 'not_synced',
    field: 'sessionIds',
    text: '12 references are left out, since their items are not synced',
  })
})
