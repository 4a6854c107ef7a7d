import { describe, expect, test } from 'vitest'
import type { Resources } from '../harness/serve-records.ts'
import { engines } from '../support/engines.ts'
import { linked, OF_A, ofA, PICTURE, speaks, user, useSecondSync } from './second-sync.ts'
import type { Setup } from './sync.ts'
import { aUser } from './traps-of-a.ts'

// The syncs of this file have so few changes that no guard (a check that can hold a plan) holds the plan.
// Held plans are tested in test/pipeline/guards.database.test.ts.
describe.each(engines)('what a second sync sends, on %s', (engine) => {
  const { second } = useSecondSync(engine)

  describe('a new signature in the address of a file is not a change [R59]', () => {
    test.each<[string, before: Resources, after: Resources, sent: readonly string[], Partial<Setup>?]>([
      ['a picture that is signed no more', user(`${PICTURE}?X-Amz-Date=1`), user(PICTURE), []],
      ['a picture that is signed from now on', user(PICTURE), user(`${PICTURE}?Expires=1&Signature=2`), []],
      [
        'another size of it',
        user(`${PICTURE}?w=1&sig=1`),
        user(`${PICTURE}?w=2&sig=2`),
        ['upsert speakers u'],
      ],
      ['no picture', user(`${PICTURE}?sig=1`), user(''), ['upsert speakers u']],
      [
        'links in another order',
        linked(`${PICTURE}?token=1`, 'https://x.example/'),
        linked('https://x.example/', `${PICTURE}?token=2`),
        ['upsert agenda s'],
      ],
      [
        'a page of a person',
        ofA([aUser('u', { ...speaks, Facebook: 'https://x.example/?sp=1' })]),
        ofA([aUser('u', { ...speaks, Facebook: 'https://x.example/?sp=2' })]),
        ['upsert speakers u'],
      ],
    ])('%s', async (_, before, after, sent, setup = {}) => {
      expect(await second({ ...OF_A, ...setup }, before, after)).toMatchObject({ sent })
    })
  })
})
