import { expect, test } from 'vitest'
import { inPlatformOrder, PLATFORM_FIELDS } from '../../transforms/platform-fields.ts'

test('the fields are those of the contract, in the order of the specification', () => {
  // Design 8; `uniqueId` stands beside the fields.
  expect(PLATFORM_FIELDS).toEqual({
    agenda: [
      'name',
      'startTime',
      'endTime',
      'description',
      'location',
      'sessionTracks',
      'filterGroup',
      'subFilters',
      'speakerIds',
      'linkUrls',
    ],
    speakers: [
      'firstName',
      'lastName',
      'title',
      'company',
      'description',
      'imageUrl',
      'sessionIds',
      'attendeeId',
      'facebookUrl',
      'linkedinUrl',
      'twitter',
    ],
    attendees: [
      'firstName',
      'lastName',
      'emailAddress',
      'title',
      'company',
      'biography',
      'phone',
      'personalAgenda',
    ],
  })
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
