import { expect, test } from 'vitest'
import { foldTitle } from '../../../transforms/rules/one-to-one.ts'

const MEETING = foldTitle('1:1 Meeting')

test.each([
  ...['1:1', '1-1', '1 on 1', 'One-on-One', 'One to One', '1:1 Meetings', '1-1 meeting', '1 on 1 meetings'],
  ...['ONE-ON-ONE MEETING', 'one to one meetings', 'One-to-one meeting', '1:1 Meeting(s)'],
  ...[
    '1 : 1',
    '1\u20131',
    '1 \u2013 1 Meeting',
    '1on1',
    '1-to-1',
    'one on one',
    '1\u2011on\u20111',
    '1\u22361',
    '1\uff1a1',
  ],
  ...['one  on  one', 'One\u00a0to\u00a0One', '1:1-Meeting', ' 1:1 '],
])('a session type titled "%s" is the type of 1:1 meetings [spec 1.4, R30]', (title) => {
  expect(foldTitle(title)).toBe(MEETING)
})

test.each([
  ...[
    'Session 1-1',
    'Track 1:1',
    '1:1 with the CEO',
    '11',
    '1',
    '1 1',
    '1:10',
    '21:1',
    '1:1:1',
    '1-2',
    '2-1',
  ],
  ...[
    '10 on 1',
    'One',
    'one two one',
    'All-on-One',
    'One-on-Ones panel',
    'Meeting',
    'Meetings 1:1',
    '1:1 Meetingpoint',
  ],
])('a session type titled "%s" is not the type of 1:1 meetings [R30]', (title) => {
  expect(foldTitle(title)).toBe(title.toLowerCase())
})
