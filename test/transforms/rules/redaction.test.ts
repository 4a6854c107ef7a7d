import { expect, test } from 'vitest'
import { makeRedaction } from '../../../transforms/rules/people.ts'

const tokens = new Map([['u1', 'forgotten-1']])

test('after redaction different values of a field are still different, and equal values are still equal, in every item', () => {
  const { ofPerson } = makeRedaction(tokens)
  expect(ofPerson('attendees', { company: 'A', title: 'A' })).toEqual({
    company: 'forgotten',
    title: 'forgotten',
  })
  expect(ofPerson('attendees', { company: 'B' })).toEqual({ company: 'forgotten 2' })
  expect(ofPerson('attendees', { company: 'A' })).toEqual({ company: 'forgotten' })
  expect(ofPerson('speakers', { company: 'B' })).toEqual({ company: 'forgotten' })
})

test('redaction keeps lists as lists, and replaces the id of the person by a token', () => {
  const { ofPerson } = makeRedaction(tokens)
  expect(ofPerson('speakers', { sessionIds: ['1', '2'], attendeeId: 'u1' })).toEqual({
    sessionIds: ['forgotten'],
    attendeeId: 'forgotten-1',
  })
})

test('in items of other people, redaction changes only the reference to the person, at the same position', () => {
  const { ofOther } = makeRedaction(tokens)
  expect(ofOther({ name: 'u1', speakerIds: ['u2', 'u1', 'u3'] })).toEqual({
    name: 'u1',
    speakerIds: ['u2', 'forgotten-1', 'u3'],
  })
})
