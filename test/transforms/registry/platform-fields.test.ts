import { expect, test } from 'vitest'
import { inPlatformOrder, PLATFORM_FIELDS } from '../../../transforms/registry/platform-fields.ts'

test('the fields are those of the contract, in the order of the specification [spec 2 p1]', () => {
  // `uniqueId` is beside the fields.
  const fields = Object.entries(PLATFORM_FIELDS).map(([content, names]) => `${content}: ${names.join(' ')}`)
  expect(fields).toEqual([
    'agenda: name startTime endTime description location sessionTracks filterGroup subFilters speakerIds linkUrls',
    'speakers: firstName lastName title company description imageUrl sessionIds attendeeId facebookUrl linkedinUrl twitter',
    'attendees: firstName lastName emailAddress title company biography phone personalAgenda',
  ])
})

test('an item’s fields come in that order, those without a value left out', () => {
  const fields = { personalAgenda: ['1'], emailAddress: 'e', lastName: 'l', firstName: '' }
  expect(Object.entries(inPlatformOrder('attendees', fields))).toEqual([
    ['firstName', ''],
    ['lastName', 'l'],
    ['emailAddress', 'e'],
    ['personalAgenda', ['1']],
  ])
})
