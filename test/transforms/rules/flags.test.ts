import { describe, expect, test } from 'vitest'
import { isCancelled, type Json, readFlag } from '../../../transforms/rules/values.ts'

describe('a flag', () => {
  test.each([true, false])('%s counts', (value) => {
    expect(readFlag(value)).toBe(value)
  })

  test.each<[value: Json | undefined]>([
    [undefined],
    [null],
    ['true'],
    ['false'],
    [''],
    [0],
    [1],
    [{}],
    [[true]],
  ])('%j says nothing [R58]', (value) => {
    expect(readFlag(value)).toBeNull()
  })
})

describe('cancelled_at [R67]', () => {
  test.each<[name: string, value: Json | undefined]>([
    ['a missing value', undefined],
    ['null', null],
    ['a blank text', ' \t\u00a0'],
    ['a text of U+0000 only', '\0'],
    ['false', false],
    ['a zero date with time', '0000-00-00 00:00:00'],
    ['a zero date in need of cleaning', ' 0000\0-00-00T00:00:00Z'],
  ])('%s is not cancelled', (_, value) => {
    expect(isCancelled(value)).toBe(false)
  })

  test.each<[name: string, value: Json]>([
    ['a time', '2031-05-04 10:00:00'],
    ['a date that is not all zeros', '0000-00-01'],
    ['the text "false"', 'false'],
    ['true', true],
    ['zero', 0],
    ['an object', {}],
    ['a list', []],
  ])('%s is cancelled', (_, value) => {
    expect(isCancelled(value)).toBe(true)
  })
})
