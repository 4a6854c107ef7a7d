import { expect, test } from 'vitest'
import type { Config } from '../../../pipeline/config/config.ts'
import { type Candidate, inTurn } from '../../../pipeline/worker/order.ts'

/**
 * Makes jobs from texts such as `a1 10`: account a, platform 1, due since 10. An exclamation mark means by
 * hand.
 */
function jobs(...texts: readonly string[]): readonly Candidate[] {
  return texts.map((text) => {
    const [id = '', since = ''] = text.split(' ')
    return {
      integrationId: id,
      account: id.slice(0, 1),
      platform: id.slice(1),
      sinceMs: Number.parseInt(since, 10),
      isByHand: since.endsWith('!'),
    }
  })
}

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['of one account, those that are due for the longest time', ['a1 30', 'a2 10', 'a3 20'], [], ['a2', 'a3']],
  ['of two accounts, one each', ['a1 10', 'a2 11', 'b1 50'], [], ['a1', 'b1']],
  ['of the account that has fewer runs under way', ['a1 10', 'b1 50', 'b2 60'], ['a', 'a'], ['b1', 'b2']],
  ['a run by hand first, although its account has many runs', ['a1 90!', 'b1 10'], ['a', 'a'], ['a1', 'b1']],
  ['several runs by hand in turn of their accounts', ['a1 1!', 'a2 2!', 'b1 3!', 'c1 0'], [], ['a1', 'b1']],
  ['all, if there are few', ['a1 1'], [], ['a1']],
])('a worker with two free places takes %s', (_, waiting, running, expected) => {
  const underWay = running.map((account) => ({ account, platform: account }))
  expect(inTurn(jobs(...waiting), underWay, 2)).toEqual(expected)
})

test.each<[string, Config['worker'], readonly string[]]>([
  ['without limits', undefined, ['a3', 'b1', 'b3', 'a4']],
  ['while an account has as many runs as allowed', { perAccount: 2 }, ['a3', 'b1', 'b3']],
  ['while a platform has as many runs as allowed', { perPlatform: 1 }, ['a3', 'a4']],
])('jobs wait %s', (_, limits, expected) => {
  const running = [{ account: 'a', platform: '1' }]
  expect(inTurn(jobs('a3 10!', 'a4 20', 'b1 5', 'b3 70'), running, 4, limits)).toEqual(expected)
})

test('a worker chooses among many jobs and runs without counting the runs of an account again for each', () => {
  let reads = 0
  const jobOf = (place: number): Candidate => ({
    integrationId: `a${place}`,
    isByHand: false,
    sinceMs: place,
    platform: String(place),
    get account() {
      reads += 1
      return 'a'
    },
  })
  const candidates = Array.from({ length: 300 }, (_, place) => jobOf(place))
  const running = Array.from({ length: 300 }, (_, place) => jobOf(place))
  expect(inTurn(candidates, running, 4)).toEqual(['a0', 'a1', 'a2', 'a3'])
  // Each run is read once, and each candidate a few times for each choice.
  expect(reads).toBeLessThan(300 + 4 * 300 * 4)
})
