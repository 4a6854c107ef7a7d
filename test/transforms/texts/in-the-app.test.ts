import { expect, test } from 'vitest'
import { changesInPlainWords } from '../../../transforms/texts/in-the-app.ts'
import { withAnd } from '../../../transforms/texts/with-and.ts'

const none = { create: 0, update: 0, remove: 0, unchanged: 0 }

test.each([
  [{}, ''],
  [{ agenda: { ...none, unchanged: 4 } }, ''],
  [
    {
      agenda: { ...none, remove: 6, update: 1, unchanged: 3 },
      attendees: { ...none, remove: 16, unchanged: 19 },
    },
    '6 of 10 sessions and 16 of 35 attendees would disappear from the app; 1 of 10 sessions would change in the app',
  ],
  [{ speakers: { ...none, remove: 1 } }, '1 of 1 speaker would disappear from the app'],
  [
    { attendees: { ...none, handover: 2, unchanged: 1, create: 1 } },
    '2 of 3 attendees would be replaced by another person; 1 attendee would be added to the app',
  ],
  [
    { agenda: { ...none, create: 1 }, speakers: { ...none, create: 2 }, attendees: { ...none, create: 3 } },
    '1 session, 2 speakers and 3 attendees would be added to the app',
  ],
])('the changes of a plan are told in plain words, removals first: %j', (changes, text) => {
  expect(changesInPlainWords(changes)).toBe(text)
})

test.each([
  [[], ''],
  [['agenda'], 'agenda'],
  [['agenda', 'speakers'], 'agenda and speakers'],
  [['agenda', 'speakers', 'attendees'], 'agenda, speakers and attendees'],
])('a list in a sentence has commas, and "and" before the last part: %j', (texts, sentence) => {
  expect(withAnd(texts)).toBe(sentence)
})
