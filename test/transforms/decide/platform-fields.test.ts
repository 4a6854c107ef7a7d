import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import {
  DECLARED_FIELDS,
  inPlatformOrder,
  PLATFORM_FIELDS,
  REQUIRED_FIELDS,
} from '../../../transforms/decide/platform-fields.ts'

test('the fields are those of the contract, in the order of the specification [spec 2 p1]', () => {
  // `uniqueId` is not one of the fields.
  const fields = Object.entries(PLATFORM_FIELDS).map(([content, names]) => `${content}: ${names.join(' ')}`)
  expect(fields).toEqual([
    'agenda: name startTime endTime description location sessionTracks filterGroup subFilters speakerIds linkUrls',
    'speakers: firstName lastName title company description imageUrl sessionIds attendeeId facebookUrl linkedinUrl twitter',
    'attendees: firstName lastName emailAddress title company biography phone personalAgenda',
  ])
})

test('an item’s fields come in that order, without fields that have no value', () => {
  const fields = { personalAgenda: ['1'], emailAddress: 'e', lastName: 'l', firstName: '' }
  expect(Object.entries(inPlatformOrder('attendees', fields))).toEqual([
    ['firstName', ''],
    ['lastName', 'l'],
    ['emailAddress', 'e'],
    ['personalAgenda', ['1']],
  ])
})

test.each(['agenda', 'speakers', 'attendees'] as const)(
  'the JSON Schema of the contract declares the fields of %s, in their order and with their types',
  (content) => {
    const schema = readFileSync(join(packageRoot, 'loaders/platform/contract/platform.schema.json'), 'utf8')
    const { required, properties } = JSON.parse(schema).$defs[content]
    const fields = Object.entries(
      properties as Record<string, { readonly type?: string; readonly pattern?: string }>,
    )
      .filter(([name]) => name !== 'custom')
      .map(([name, { type, pattern }]) => [name, type === 'array', pattern?.includes('T') ?? false])
    expect(fields).toEqual(DECLARED_FIELDS[content].map(({ name, isList, isTime }) => [name, isList, isTime]))
    expect(required).toEqual(REQUIRED_FIELDS[content])
  },
)
