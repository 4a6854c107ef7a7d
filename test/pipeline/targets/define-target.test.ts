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

  test.each<[RegExp, Partial<TargetDefinition<Record<string, z.ZodType>>>]>([
    [/its name must be 2 to 20 of a-z and 0-9/, { name: 'My-Target' }],
    [/event-content-sync has a target "http" itself/, { name: 'http' }],
    [/every target already has the key "url"/, { keys: { url: z.string() } }],
    [/the secret "token" is not among its keys/, { secrets: ['token'] }],
    [/it has no content/, { contents: [] }],
    [/limits\.batchSize must be a whole number from 1/, { limits: { batchSize: 0 } }],
    [/limits\.requestsPerMinute must be/, { limits: { batchSize: 1, requestsPerMinute: 0.5 } }],
    [/limits\.removes has agenda, which is not/, { limits: { batchSize: 1, removes: ['agenda'] } }],
    [
      /limits has attendees\.email, which is not a field; attendees have firstName/,
      { limits: { batchSize: 1, uniqueFields: { attendees: ['email'] } } },
    ],
    [
      /the lengths of limits\.longestTexts\.attendees must be whole numbers/,
      { limits: { batchSize: 1, longestTexts: { attendees: { firstName: -1 } } } },
    ],
  ])('a definition is refused: %s', (message, change) => {
    expect(() => defineTarget({ ...definition, ...change } as typeof definition)).toThrow(message)
  })
})
