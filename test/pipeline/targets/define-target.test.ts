import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTarget, isTarget, type TargetDefinition } from '../../../pipeline/targets/define-target.ts'

const definition: TargetDefinition<Record<never, never>> = {
  name: 'example',
  title: 'Example',
  contents: ['attendees'],
  limits: { batchSize: 10 },
  connect: () => ({
    send: async () => [],
    async *list() {},
    count: async () => 0,
  }),
}

describe('the definition of a target', () => {
  test('a sound definition is a target, which can remove all its contents if its limits say nothing else', () => {
    const target = defineTarget(definition)
    expect([isTarget(target), isTarget({ ...target }), target.removes]).toEqual([true, false, ['attendees']])
  })

  const limits = { batchSize: 1 }
  test.each<[string, object]>([
    ['name: must be 2 to 20 of a-z and 0-9, and begin with a letter, got "My-Target"', { name: 'My-Target' }],
    ['name: event-content-sync has a target of this name itself; use another name', { name: 'http' }],
    ['title: is missing', { title: undefined }],
    ['keys.url: every target has this key; give yours another name', { keys: { url: z.string() } }],
    ['keys.room: must be a zod schema such as z.string()', { keys: { room: 'text' } }],
    ['secrets: token is not one of its keys', { secrets: ['token'] }],
    ['contents: must name at least one of agenda, speakers or attendees', { contents: [] }],
    ['contents[0]: must be agenda, speakers or attendees, got "people"', { contents: ['people'] }],
    ['takesPasswords: must be true or false, got "yes"', { takesPasswords: 'yes' }],
    ['connect: must be a function', { connect: undefined }],
    ['takePasswords: unknown key; did you mean takesPasswords?', { takePasswords: true }],
    ['limits: is missing', { limits: undefined }],
    ['limits.batchSize: must be a whole number from 1, got 0', { limits: { batchSize: 0 } }],
    ['limits.batchSize: must be a whole number from 1, got "50"', { limits: { batchSize: '50' } }],
    [
      'limits.batchSize: is missing; limits.batchsize: unknown key; did you mean batchSize?',
      { limits: { batchsize: 50 } },
    ],
    [
      'limits.requestsPerMinute: must be a whole number from 1, got 0.5',
      { limits: { ...limits, requestsPerMinute: 0.5 } },
    ],
    [
      'limits.requestPerMinute: unknown key; did you mean requestsPerMinute?',
      { limits: { ...limits, requestPerMinute: 6 } },
    ],
    ['limits.removes: agenda is not one of its contents', { limits: { ...limits, removes: ['agenda'] } }],
    [
      'limits.longestTexts: agenda is not one of its contents',
      { limits: { ...limits, longestTexts: { agenda: { name: 9 } } } },
    ],
    [
      'limits.longestTexts.attendee: unknown key; did you mean attendees?',
      { limits: { ...limits, longestTexts: { attendee: { firstName: 9 } } } },
    ],
    [
      'limits.longestTexts.attendees.first_nam: unknown key; did you mean firstName?',
      { limits: { ...limits, longestTexts: { attendees: { first_nam: 9 } } } },
    ],
    [
      'limits.longestTexts.attendees.firstName: must be a whole number from 1, got -1',
      { limits: { ...limits, longestTexts: { attendees: { firstName: -1 } } } },
    ],
    [
      'limits.missingFields.attendees[0]: must be title, company, biography, phone, personalAgenda or custom, got "lastName"',
      { limits: { ...limits, missingFields: { attendees: ['lastName'] } } },
    ],
    [
      'limits.uniqueFields.attendees[0]: must be firstName, lastName, emailAddress, title, company, biography, phone or personalAgenda, got "email"',
      { limits: { ...limits, uniqueFields: { attendees: ['email'] } } },
    ],
  ])('a definition is refused: %s', (message, change) => {
    const changed = { ...definition, ...change } as typeof definition
    expect(() => defineTarget(changed)).toThrow(new Error(`target ${changed.name}: ${message}`))
  })

  test('a definition that is not an object is refused', () => {
    expect(() => defineTarget(null as never)).toThrow(
      'target without a name: has no value; give it one or remove the key',
    )
  })

  test('a target whose `connect` does not return its three functions is refused', () => {
    const connect = () => ({ send: async () => [] }) as never
    const target = defineTarget({ ...definition, connect })
    const context = { secrets: { env: {} }, integrationId: 'one', retriesAt: () => ({}) } as never
    const config = { type: 'example', url: 'https://platform.example', eventId: '1' } as never
    expect(() => target.open(config, context, '')).toThrow(
      '`connect` of Example did not return the functions list, count; correct the file of the target',
    )
  })
})
