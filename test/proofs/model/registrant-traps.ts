import { type Draw, traps } from '../../harness/draw.ts'
import { type Json, num, obj } from '../../harness/json.ts'
import type { Fields } from './elements.ts'
import { spellId } from './id-traps.ts'
import { brokenText, optionalText, requiredText } from './text-traps.ts'

const regTypeId = traps<Json | undefined>('reg_type_id', {
  'number of a speaker type': [5, ({ random }) => num(random.pick([20, 22]))],
  'text of a speaker type': [3, '20', '22', ' 20 '],
  'object with its value': [
    4,
    ({ random }) =>
      obj(
        random.pick<Fields>([
          { id: num(20), value: 'Speaker' },
          { id: '22', value: ' referent ÄÖ' },
        ]),
      ),
  ],
  'object with a value of another case': [1, obj({ id: num(20), value: ' sPEAKER\u00a0' })],
  'object whose value is blank': [
    2,
    ({ random }) => obj({ id: num(random.pick([20, 22, 23])), value: random.pick(['', null, ' ']) }),
  ],
  'object whose value is no name of its id': [1, obj({ id: num(23), value: 'Speaker' })],
  'object of a speaker type with another value': [1, obj({ id: num(20), value: 'Attendee' })],
  'object without id': [1, obj({ value: 'Speaker' })],
  'empty object of the source': [2, obj({ id: '', value: null })],
  'bare name': [2, 'Speaker', ' speaker', 'Referent ÄÖ'],
  'another type': [
    6,
    num(23),
    '23',
    num(28),
    obj({ id: num(23), value: 'Attendee' }),
    obj({ id: num(28), value: 'Speaker coach' }),
  ],
  'a number with a fraction of zero': [1, num('20.0')],
  'a type whose name is the id of another': [1, num(27)],
  'a type without name': [1, ({ random }) => num(random.pick([24, 26]))],
  'a type whose id stands twice': [1, num(25)],
  'an unknown type': [1, num(999), obj({ id: num(999), value: null })],
  none: [3, null, '', ' ', undefined, true, []],
})

const cancelledAt = traps<Json | undefined>('cancelled_at', {
  null: [12, null],
  absent: [6, undefined],
  blank: [4, '', ' ', '\u0000'],
  false: [3, false],
  'zero date': [3, '0000-00-00', '0000-00-00 00:00:00', ' 0000-00-00T00:00:00Z', '-0001-11-30 00:00:00'],
  'zero date of another language': [2, '0001-01-01T00:00:00', '0001-01-01T00:00:00Z', '-0001-11-30'],
  epoch: [2, '1970-01-01', '1970-01-01T00:00:00Z', '1970-01-01 01:00:00', '1970-01-01T01:00:00+01:00'],
  'near the epoch': [
    1,
    '1970-01-01T09:30:00Z',
    '1970-01-02',
    '1969-12-31 11:00:00',
    '1970-01-01T00:00+01:00',
  ],
  'a date': [3, '2031-01-02 03:04:05'],
  true: [1, true],
  zero: [1, num(0), '0'],
  'a number': [1, num(1), num(1935676800)],
  'false as text': [1, 'false'],
  object: [1, obj({})],
  list: [1, []],
})

const twitterHandle = traps<Json | undefined>('twitter_handle', {
  handle: [4, 'ann_x'],
  'with @': [3, '@ann_x'],
  '@ alone': [1, '@'],
  URL: [3, 'https://twitter.com/ann', 'http://x.com/ann/', 'https://x.com/a/b//'],
  'URL with query': [2, 'https://twitter.com/ann?lang=de', 'https://twitter.com/ann/?s=20'],
  '@ twice': [1, '@@ann'],
  'URL whose last segment has @': [1, 'https://x.com/@ann'],
  'URL with fragment': [1, 'https://x.com/ann#top'],
  'URL behind @': [1, '@https://x.com/ann'],
  'URL with a blank': [1, 'https://x.com/ann b'],
  'URL without path': [1.5, 'https://twitter.com', 'https://twitter.com/', 'https://x.com/?a=/b'],
  'no URL': [1, 'twitter.com/ann', 'ann b', '数'],
  number: [1, num('12.0')],
  'no text': [4, brokenText],
})

const sessionIds = traps<Json | undefined, [ids: readonly string[]]>('session_ids', {
  empty: [3, []],
  null: [2, null],
  absent: [2, undefined],
  blank: [1, ' '],
  'bare ids': [5, spelledIds],
  objects: [4, (draw, ids) => ids.map((id) => obj({ id: spellId(draw, id), name: 'x' }))],
  'objects with a key in another case': [
    1,
    (draw, ids) => [...spelledIds(draw, ids), obj({ Id: ids[0] ?? 'x' })],
  ],
  'comma-separated text': [4, ({ random }, ids) => ids.join(random.pick([',', ', ', ' , ']))],
  'comma-separated text with gaps': [1, (_, ids) => `,${ids.join(',,')}, `],
  'an id twice': [2, (draw, ids) => spelledIds(draw, [...ids, ...ids])],
  'unknown ids': [2, (draw, ids) => spelledIds(draw, [...ids, 'nothing', '4711'])],
  'no list': [2, true, obj({ id: num(101) }), num(101), 's1'],
  'elements that name nothing': [
    1,
    ({ random }, ids) => [...ids, random.pick<Json>([null, obj({}), true, '', []])],
  ],
})

function spelledIds(draw: Draw, ids: readonly string[]): readonly Json[] {
  return ids.map((id) => spellId(draw, id))
}

const mobilePhone = traps<Json | undefined>('mobile_phone', {
  'with +': [3, '+49 30 123'],
  'zeros in front': [2, '0049301234567890123'],
  number: [2, num('493012345678901234567')],
  other: [2, optionalText],
})

const email = traps<Json | undefined>('email', {
  plain: [20, ({ random }) => `ann${random.below(1000)}@x.example`],
  'capital letters': [2, 'Bob@X.Example'],
  padded: [1, ' eve@x.example\u00a0'],
  'with U+0000': [1, 'Zoe\u0000@x.example'],
  'no text': [1, brokenText],
})

export function makeRegistrant(draw: Draw, ids: readonly string[]): Fields {
  const { random } = draw
  const attends = random.shuffled(random.some(ids, 0.1))
  const waits = random.some(ids, 0.1).filter((id) => !attends.includes(id))
  return {
    name: 'x y',
    first_name: requiredText(draw),
    last_name: requiredText(draw),
    email: email(draw),
    work_email: random.chance(0.8) ? email(draw) : undefined,
    job_title: optionalText(draw),
    company: optionalText(draw),
    bio: optionalText(draw),
    mobile_phone: mobilePhone(draw),
    reg_type_id: regTypeId(draw),
    cancelled_at: cancelledAt(draw),
    twitter_handle: twitterHandle(draw),
    session_ids: sessionIds(draw, attends),
    waitlisted_session_ids: spelledIds(draw, waits),
    // Keys of Source B must be spelled exactly, so the product must ignore the following keys.
    First_Name: 'wrong',
    Email: 'wrong@x.example',
  }
}
