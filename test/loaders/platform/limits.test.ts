import { describe, expect, test } from 'vitest'
import { beyondLimits } from '../../../loaders/platform/limits.ts'
import type { Operation } from '../../../loaders/platform/target.ts'
import type { Fields } from '../../../sql/tables.ts'

const limits = {
  longestTexts: { attendees: { firstName: 5 }, agenda: { sessionTracks: 3 } },
  uniqueFields: { attendees: ['emailAddress'] },
} as const

const upsert = (seq: number, fields: Fields, content: Operation['content'] = 'attendees'): Operation => ({
  seq,
  op: 'upsert',
  content,
  uniqueId: String(seq),
  fields,
})

describe('operations beyond the limits of a platform', () => {
  test.each<[string, readonly Operation[], readonly (readonly [number, string])[]]>([
    ['a text of exactly the longest length is sent', [upsert(1, { firstName: 'Emily' })], []],
    [
      'a longer text is rejected with the name of its field',
      [upsert(1, { firstName: 'Emilia' })],
      [[1, 'first_name_too_long']],
    ],
    ['a character outside the BMP counts as one character', [upsert(1, { firstName: '🌊🌊🌊🌊🌊' })], []],
    [
      'each text of a list is compared',
      [upsert(1, { sessionTracks: ['abc', 'abcd'] }, 'agenda')],
      [[1, 'session_tracks_too_long']],
    ],
    ['a limit applies only to its content', [upsert(1, { firstName: 'Emilia' }, 'speakers')], []],
    [
      'of two upserts with the same unique value in other case, only the first is sent',
      [upsert(1, { emailAddress: 'ada@example.org' }), upsert(2, { emailAddress: ' ADA@example.org' })],
      [[2, 'email_address_taken']],
    ],
    [
      'an upsert that is rejected for another reason takes no unique value',
      [
        upsert(1, { firstName: 'Emilia', emailAddress: 'ada@example.org' }),
        upsert(2, { emailAddress: 'ada@example.org' }),
      ],
      [[1, 'first_name_too_long']],
    ],
    ['items without a unique value are all sent', [upsert(1, {}), upsert(2, {})], []],
    [
      'removals are always sent',
      [{ seq: 1, op: 'remove', content: 'attendees', uniqueId: '1', reason: 'cancelled' }],
      [],
    ],
  ])('%s', (_, operations, codes) => {
    expect([...beyondLimits(limits, operations)]).toEqual(codes)
  })
})
