import { expect, test } from 'vitest'
import type { Content } from '../../../sql/tables.ts'
import type { ExcludeRule } from '../../../transforms/declare/contents.ts'
import { ruleEffects } from '../../../transforms/declare/exclude.ts'

const rule = (name: string, contents: readonly Content[], isUnless = false): ExcludeRule => ({
  name,
  contents,
  isUnless,
  fields: {},
})

const RULES = [
  rule('first', ['agenda']),
  rule('tracks', ['agenda'], true),
  rule('people', ['attendees', 'speakers']),
  rule('rest', ['attendees']),
]

test.each<[string, Readonly<Record<string, number>>, readonly string[]]>([
  [
    'rules that match',
    { tracks: 1, people: 12 },
    [
      'leaves out 0 items of agenda: none that would be synced matches',
      'leaves out 1 item of agenda',
      'leaves out 12 items of attendees',
      'leaves out 0 items of attendees: none that the rules before it leave matches',
    ],
  ],
  [
    'rules that match nothing',
    { first: 3 },
    [
      'leaves out 3 items of agenda',
      'leaves out 0 items of agenda: all that the rules before it leave match',
      'leaves out 0 items of attendees: none that would be synced matches',
      'leaves out 0 items of attendees: none that would be synced matches',
    ],
  ],
])('%s', (_, counts, seen) => {
  const excluded = Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [`excluded_by_rule:${name}`, count]),
  )
  const effects = ruleEffects(RULES, ['agenda', 'attendees'], { ...excluded, not_published: 7 })
  expect(effects.map((effect) => effect.seen)).toEqual(seen)
  const isIdle = ({ seen: said }: { readonly seen: string }) => said.includes(' 0 ')
  expect(effects.filter(({ todo }) => todo !== null)).toEqual(effects.filter(isIdle))
})

test('an exclude rule for content that is not synced reports this', () => {
  expect(ruleEffects([rule('idle', ['speakers'])], ['agenda'], {})).toMatchObject([
    { seen: 'leaves out 0 items of speakers, which the integration does not sync', todo: expect.any(String) },
  ])
})
