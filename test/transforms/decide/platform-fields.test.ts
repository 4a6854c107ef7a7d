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

test('the fields of each content are the fields of the contract, in the order of the specification [spec 2 p1]', () => {
  // `uniqueId` is not a field of an item, so it is not listed here.
  const fields = Object.entries(PLATFORM_FIELDS).map(([content, names]) => `${content}: ${names.join(' ')}`)
  expect(fields).toEqual([
    'agenda: name startTime endTime description location sessionTracks filterGroup subFilters speakerIds linkUrls',
    'speakers: firstName lastName title company description imageUrl sessionIds attendeeId facebookUrl linkedinUrl twitter',
    'attendees: firstName lastName emailAddress title company biography phone personalAgenda',
  ])
})

test('the fields of an item come in the order of the specification, and fields without a value are left out', () => {
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
