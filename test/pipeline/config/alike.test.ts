import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkAlikeOnce } from '../../../pipeline/config/alike.ts'
import { complaints, load } from './samples.ts'

/** An integration as one line of YAML. */
const withA = (id: string, more = '') =>
  `  - {id: ${id}, source: {type: a, url: "HTTPS://${id}.Example/", eventId: ${id}}, platform: {type: jsonl}${more}}\n`
const withB = (id: string) =>
  `  - {id: ${id}, name: "${id}", source: {type: b, url: https://b.example, eventId: 1, apiKey: env:KEY_${id}, authenticationSecret: env:KEY}, platform: {type: http, url: https://p.example/${id}, eventId: 1, token: file:${id}, batchSize: 7}, passwords: {mode: none}}\n`
const lines = [
  withA('one'),
  withA('two'),
  withA('three', ', handover: update'),
  withB('four'),
  withB('five'),
  withA('six', ', removals: {maxShare: 0.1}'),
  withA('seven', ', removals: {maxShare: 0.2}'),
]
const together = (...integrations: readonly string[]) => `integrations:\n${integrations.join('')}`

test('integrations that are alike have the same values as if each were alone in its configuration', () => {
  const alone = lines.flatMap((line) => load(together(line)).integrations)
  const both = lines.map((line) =>
    line.replace('{id: ', '{id: again-').replace('p.example/', 'p.example/again-'),
  )
  const again = both.flatMap((line) => load(together(line)).integrations)
  expect(load(together(...lines, ...both)).integrations).toStrictEqual([...alone, ...again])
  expect(load(together(...lines.toReversed())).integrations).toStrictEqual(alone.toReversed())
})

test('a mistake in an integration that is like another is reported where it is', () => {
  const wrong = withA('two').replace('HTTPS:', 'ftp:')
  const message = 'integrations[2].source.url: is not an http or https address (not shown)'
  expect(complaints(together(withA('one'), withA('three'), wrong))).toStrictEqual([
    `event-sync.yaml:4: ${message}`,
  ])
})

test('values that integrations have in common are checked once, and their own texts in each', () => {
  let checks = 0
  let ruleChecks = 0
  const counted = z.number().refine(() => {
    checks += 1
    return true
  })
  const shape = { type: z.literal('a'), url: z.string().transform((url) => url.toUpperCase()) }
  const schema = z.strictObject({
    id: z.string().min(2),
    source: z.strictObject(shape),
    platform: z.strictObject({ type: z.literal('b') }),
    share: counted.optional(),
    handover: z.string().optional(),
  })
  const shapeOf = (key: 'source' | 'platform', type: unknown) => {
    const shapes = { source: shape, platform: {} }
    return type === 'a' || type === 'b' ? shapes[key] : undefined
  }
  const check = checkAlikeOnce(schema, shapeOf, ({ handover }) => {
    ruleChecks += 1
    return handover !== 'update'
  })
  const integration = (id: string, share: unknown) => ({
    id,
    source: { type: 'a', url: `https://${id}` },
    platform: { type: 'b' },
    share,
  })
  for (const id of ['aa', 'bb', 'cc']) {
    const source = { type: 'a', url: `HTTPS://${id.toUpperCase()}` }
    expect(check(integration(id, 1))).toStrictEqual({ ...integration(id, 1), source })
  }
  expect([checks, ruleChecks]).toStrictEqual([1, 1])
  expect(check(integration('dd', 2))?.share).toBe(2)
  expect(checks).toBe(2)
  expect(check(integration('d', 2))).toBeUndefined()
  expect(check({ ...integration('ee', 2), handover: 'replace' })?.handover).toBe('replace')
  expect(check({ ...integration('ff', 2), handover: 'update' })).toBeUndefined()
  expect(check({ ...integration('dd', 2), more: 1 })).toBeUndefined()
  expect(check({ ...integration('dd', 2), source: { type: 'c' } })).toBeUndefined()
  expect([null, Number.NaN].map((share) => check(integration('dd', share)))).toStrictEqual([
    undefined,
    undefined,
  ])
})
