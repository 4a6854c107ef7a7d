import { type Draw, traps } from '../../harness/draw.ts'
import { type Json, num, obj } from '../../harness/json.ts'
import { brokenText, padded } from './text-traps.ts'

/**
 * Time zones of several kinds: clock changes of an hour or half an hour, no clock changes, unusual UTC
 * offsets, and zones of the southern hemisphere.
 */
export const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'US/Eastern',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Asia/Kolkata',
  'Pacific/Chatham',
  'UTC',
] as const

/** Days on which a zone changes its clocks, by name of the zone. */
const CHANGES: Readonly<Record<string, { readonly gap: string; readonly twice: string }>> = {
  'Europe/Berlin': { gap: '2031-03-30 02:', twice: '2031-10-26 02:' },
  'America/New_York': { gap: '2031-03-09 02:', twice: '2031-11-02 01:' },
  'US/Eastern': { gap: '2031-03-09 02:', twice: '2031-11-02 01:' },
  'Australia/Lord_Howe': { gap: '2031-10-05 02:0', twice: '2031-04-06 01:4' },
  'America/St_Johns': { gap: '2031-03-09 02:', twice: '2031-11-02 01:' },
  'Pacific/Chatham': { gap: '2031-09-28 02:5', twice: '2031-04-06 02:5' },
}

/** A day and a minute of local time, for example `2031-05-04` and `09:05`. */
export interface Wall {
  readonly day: string
  readonly minute: string
}

export function plainWall({ random }: Draw): Wall {
  const two = (number: number) => String(number).padStart(2, '0')
  return {
    day: `2031-${two(1 + random.below(12))}-${two(1 + random.below(28))}`,
    minute: `${two(8 + random.below(10))}:${two(random.below(60))}`,
  }
}

/**
 * Returns a local time that a clock change of the zone skips or repeats. If the zone has no clock changes,
 * returns an ordinary time.
 */
export function changedWall(draw: Draw, zone: string | undefined, kind: 'gap' | 'twice'): Wall {
  const found = CHANGES[zone ?? '']?.[kind]
  if (found === undefined) return plainWall(draw)
  const [day = '', begin = ''] = found.split(' ')
  const minute =
    begin.length === 3 ? draw.random.pick(['00', '15', '30', '59']) : String(draw.random.below(9))
  return { day, minute: begin + minute }
}

const OFFSETS = ['Z', '+00:00', '-07:00', '+0530', '+05:45', '-0330', '+14:00', '+23:59', '-12:00', '-00:00']

const seconds = traps<string>('seconds', {
  none: [4, ''],
  whole: [8, ':00'],
  'odd seconds': [2, ({ random }) => `:${random.pick(['01', '30', '59'])}`],
  fraction: [2, ({ random }) => `:30.${random.pick(['0', '5', '123', '9999999'])}`],
})

/** Returns a time of day as a source writes it, without a UTC offset. */
export function clock(draw: Draw, { minute }: Wall): string {
  return minute + seconds(draw)
}

function local(draw: Draw, wall: Wall): string {
  return `${wall.day}${draw.random.pick(['T', 'T', ' '])}${clock(draw, wall)}`
}

function withOffset(draw: Draw, wall: Wall): string {
  return local(draw, wall) + draw.random.pick(OFFSETS)
}

const refusedTime = traps<string>('refused time', {
  'a day that does not exist': [2, '2031-02-29T10:00:00Z'],
  'no leap year': [1.5, '2100-02-29 10:00:00+00:00'],
  'zero date': [1, '0000-00-00 00:00:00Z'],
  'month 13': [1, '2031-13-01T10:00:00Z'],
  '24:00': [2, '2031-05-04T24:00:00Z'],
  'second 60': [1.5, '2031-12-31T23:59:60Z'],
  'minute 60': [1.5, '2031-05-04T10:60:00Z'],
  'no time': [1, '2031-05-04'],
  'no minutes': [1, '2031-05-04T10Z'],
  'small letters': [1, '2031-05-04t10:00:00Z', '2031-05-04T10:00:00z'],
  'a blank before the offset': [1, '2031-05-04T10:00:00 Z'],
  'two blanks': [1.5, '2031-05-04  10:00:00Z'],
  'one digit': [1.5, '2031-5-04T9:00:00Z'],
  'an offset of hours only': [1.5, '2031-05-04T10:00:00+02'],
  'a comma before the fraction': [1.5, '2031-05-04T10:00:00,5Z'],
  'another order': [1, '05/04/2031 10:00 AM'],
  words: [1, 'tomorrow'],
  'basic form': [1, '20310504T100000Z'],
  'two digit year': [1, '31-05-04T10:00:00Z'],
  'offset of 24 hours': [1, '2031-05-04T10:00:00+24:00'],
  'offset with minute 60': [1.5, '2031-05-04T10:00:00+01:60'],
  'zone in brackets': [1.5, '2031-05-04T10:00:00+02:00[Europe/Berlin]'],
})

const LEAP: Wall = { day: '2032-02-29', minute: '09:30' }

/** Makes a time of Source A near the given local time, in an accepted or in an unaccepted form. */
export const timeOfA = traps<Json | undefined, [wall: Wall]>('time of A', {
  'both, EventTime with offset': [
    12,
    (draw, wall) => obj({ UTC: '2031-01-01T00:00:00Z', EventTime: withOffset(draw, wall) }),
  ],
  'both, EventTime without offset': [
    5,
    (draw, wall) => obj({ EventTime: local(draw, wall), UTC: `${local(draw, wall)}Z` }),
  ],
  'UTC without offset': [4, (draw, wall) => obj({ UTC: local(draw, wall), EventTime: null })],
  'UTC alone, with another offset': [4, (draw, wall) => obj({ UTC: withOffset(draw, wall) })],
  'EventTime without offset alone': [
    16,
    (draw, wall) => obj({ eventtime: local(draw, wall), utc: draw.random.pick([null, '', ' ']) }),
  ],
  'EventTime that is not text, UTC there': [
    4,
    (draw, wall) => obj({ EventTime: draw.random.pick([true, [], obj({})]), UTC: local(draw, wall) }),
  ],
  'text with offset': [12, withOffset],
  'text without offset': [20, local],
  'text, padded': [4, (draw, wall) => padded(draw, withOffset(draw, wall))],
  'text with U+0000': [10, (draw, wall) => `${withOffset(draw, wall)}\u0000`],
  'a leap day': [4, (draw) => withOffset(draw, LEAP)],
  'a year of long ago': [4, '0001-06-01T10:00:00Z'],
  'the last year': [2, '9999-12-30T10:00:00Z'],
  'refused, text': [65, refusedTime],
  'refused, EventTime': [12, (draw) => obj({ EventTime: refusedTime(draw), UTC: null })],
  'EventTime with offset, no such day': [
    2,
    (_, wall) => obj({ EventTime: '2031-02-30T10:00:00+02:00', UTC: `${wall.day}T10:00:00Z` }),
  ],
  'EventTime refused without offset, UTC there': [
    3,
    (_, wall) => obj({ EventTime: '2031-02-30 10:00', UTC: `${wall.day}T${wall.minute}` }),
  ],
  'refused, UTC': [4, (draw) => obj({ EventTime: 'soon', UTC: refusedTime(draw) })],
  'object with nothing in it': [3, obj({})],
  'object with nulls': [3, obj({ UTC: null, EventTime: null })],
  'a number': [2, num(1_936_000_000)],
  'no text': [10, brokenText],
})
