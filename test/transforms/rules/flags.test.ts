import { describe, expect, test } from 'vitest'
import { isCancelled } from '../../../transforms/rules/cancelled.ts'
import { type Json, readFlag } from '../../../transforms/rules/values.ts'

describe('a flag', () => {
  test.each<[value: Json]>([[true], ['true'], ['TRUE'], [' True '], ['yes'], ['Yes'], [1], ['1']])(
    '%j is true [R58]',
    (value) => {
      expect(readFlag(value)).toEqual({ value: true, warning: null })
    },
  )

  test.each<[value: Json]>([[false], ['false'], ['False'], ['\tno'], ['NO'], [0], ['0']])(
    '%j is false [R58]',
    (value) => {
      expect(readFlag(value)).toEqual({ value: false, warning: null })
    },
  )

  test.each<[value: Json | undefined]>([[undefined], [null], [''], [' \u00a0'], ['\0']])(
    '%j is absent [R58]',
    (value) => {
      expect(readFlag(value)).toEqual({ value: null, warning: null })
    },
  )

  test.each<[value: Json]>([
    ...[['on'], ['off'], ['y'], ['t'], ['enabled'], ['2'], [2], [-1], ['01'], ['truee'], ['constructor']],
    ...[[{}], [[]], [[true]], [{ value: true }]],
  ] as [Json][])('%j is left out [R58]', (value) => {
    expect(readFlag(value)).toEqual({ value: null, warning: 'left_out' })
  })
})

describe('cancelled_at [R67]', () => {
  test.each<[name: string, value: Json | undefined]>([
    ['a missing value', undefined],
    ['null', null],
    ['a blank text', ' \t\u00a0'],
    ['a text of U+0000 only', '\0'],
    ['false', false],
    ['a zero date that needs cleaning', ' 0000\0-00-00T00:00:00Z'],
    ['the number 0', 0],
    ['0.0', JSON.rawJSON('0.0')],
    ...[
      ...[
        '0',
        '0.0',
        '00000000',
        '00/00/0000',
        '0000-00-00',
        '0000-00-00 00:00:00',
        '0000-00-00T00:00:00.000Z',
      ],
      ...['0000-00-00 00:00:00+00:00', '0000-00-00 12:30:00'],
      ...[
        '-0001-11-30',
        '-0001-11-30 00:00:00',
        '-0001-11-30T00:00:00+00:00',
        '-0001-11-30T00:00:00-00:01:15',
      ],
      ...['-001-11-30', '-1-11-30 00:00:00'],
      ...['0001-01-01', '0001-01-01T00:00:00', '0001-01-01T00:00:00.0000000', '0001-01-01T00:00:00Z'],
      ...['0001-01-01 00:00:00 +0000 UTC', '0001-01-01T01:00:00+01:00', '0000-12-31T19:03:58-04:56'],
      ...['01/01/0001 00:00:00', '1/1/0001 12:00:00 AM'],
      ...['-000001-11-30T00:00:00.000000Z', '-0001-11-29T23:06:32.000000Z', '0000-01-01'],
      ...['-62135596800', '/Date(0)/', '/Date(-62135596800000)/'],
      ...['1970-01-01 00:00:00+00', '1970-01-01 01:00:00+01', '1970/01/01', '01.01.1970 00:00'],
      ...['1/1/1970 12:00:00 AM'],
      ...[
        '1970-01-01',
        '1970-01-01T00:00:00Z',
        '1970-01-01T00:00:00',
        '1970-01-01 00:00',
        '1970-01-01T00:00:00.000Z',
      ],
      ...['1970-01-01 00:00:00+00:00', '1970-01-01 00:00:00 UTC', '1970-01-01 00:00:00 +0000'],
      ...['1970-01-01T01:00:00+01:00', '1969-12-31T19:00:00-0500', '1970-01-01T05:30:00+05:30'],
      ...['1970-01-01 01:00:00', '1970-01-01 09:30:00', '1969-12-31 16:00:00', '1969-12-31'],
    ].map((text): [string, Json] => [text, text]),
  ])('%s is not cancelled', (_, value) => {
    expect(isCancelled(value)).toBe(false)
  })

  test.each<[name: string, value: Json]>([
    ['a time', '2031-05-04 10:00:00'],
    ['a date that is not all zeros', '0000-00-01'],
    ['the text "false"', 'false'],
    ['true', true],
    ['one', 1],
    ['a number of seconds', 1935676800],
    ...[
      ...[
        '0000-00-001',
        '0001-01-02',
        '-0001-11-28',
        '/Date(1)/',
        '1/1/1970 9:30:00 AM',
        'true',
        '-0001-12-30',
        '10',
        '0x0',
        'T',
        '-',
      ],
      ...['1970-01-01T09:30:00Z', '1970-01-01T00:00:01Z', '1970-01-01T00:00:00+01:00', '1970-01-01 14:01:00'],
      ...[
        '1969-12-31 11:59:59',
        '1970-01-02',
        '1970-01-01T25:00:00Z',
        '1970-01-011',
        '1970-01-01 soon',
        '2000-01-01',
      ],
    ].map((text): [string, Json] => [text, text]),
    ['an object', {}],
    ['a list', []],
  ])('%s is cancelled', (_, value) => {
    expect(isCancelled(value)).toBe(true)
  })
})
