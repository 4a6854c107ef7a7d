import { expect, test } from 'vitest'
import {
  type FlatFields,
  historyOf,
  historyOfItem,
  type ItemVersion,
} from '../../../transforms/declare/field-values.ts'

/** Makes a version of an item from the numbers of its first run and of the run that ended it. */
function version(from: number, to: number | null, fields: FlatFields = {}): ItemVersion {
  return { fields, fromRun: `run ${from}`, toRun: to === null ? null : `run ${to}` }
}

const history = (
  firstRun: string | null,
  lastRun: string,
  before: string | readonly string[] | null = null,
) => ({
  firstRun,
  lastRun,
  before,
})

test.each([
  ['a value of the only version', [version(1, null, { a: 'x' })], history('run 1', 'run 1')],
  ['no value, ever', [version(1, 2, { b: 'x' }), version(2, null)], null],
  [
    'a value that other fields changed around',
    [version(1, 2, { a: 'x', b: '1' }), version(2, 4, { a: 'x', b: '2' }), version(4, null, { a: 'x' })],
    history('run 1', 'run 1'),
  ],
  [
    'a value that changed',
    [version(1, 2, { a: 'x' }), version(2, null, { a: 'y' })],
    history('run 2', 'run 2', 'x'),
  ],
  [
    'a value that came back',
    [version(1, 2, { a: 'x' }), version(2, 5, { a: 'y' }), version(5, null, { a: 'x' })],
    history('run 1', 'run 5', 'y'),
  ],
  ['a value that is gone', [version(1, 3, { a: 'x' }), version(3, null)], history(null, 'run 3', 'x')],
  [
    'an item that was away, the same before and after',
    [version(1, 2, { a: 'x' }), version(4, null, { a: 'x' })],
    history('run 1', 'run 4'),
  ],
] as const)('%s', (_, versions, expected) => {
  expect(historyOf(versions, 'a')).toEqual(expected)
})

test('the history of an item begins when it last appeared without a gap', () => {
  const versions = [version(1, 2, { a: 'x' }), version(4, 5, { a: 'x' }), version(5, null, { a: 'y' })]
  expect(historyOfItem(versions, '7')).toEqual(history('run 1', 'run 4'))
})
