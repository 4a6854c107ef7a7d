import { type Draw, traps } from '../../harness/draw.ts'
import type { Content, OptionsA, OptionsB, OptionsOfBoth } from './options.ts'
import { ZONES } from './time-traps.ts'

/**
 * Declares an option of the source with the ways in which it can be set. A way without a value leaves the
 * option out.
 */
function option(
  key: string,
  ways: Readonly<Record<string, readonly [weight: number, ...values: unknown[]]>>,
  group = `option ${key}`,
) {
  const options = Object.entries(ways).map(
    ([name, [weight, ...values]]): readonly [string, readonly [number, ...object[]]] => {
      const given = values.map((value) => ({ [key]: value }))
      return [name, [weight, ...(given.length === 0 ? [{}] : given)]]
    },
  )
  return traps<object>(group, Object.fromEntries(options))
}

const timeZone = option('timeZone', { absent: [2], given: [8, ...ZONES] })

/** The options of Source A, in the order in which random values are drawn for these options. */
const OPTIONS_A = [
  timeZone,
  option('speakers', { absent: [2], listed: [2, 'listed'], role: [2, 'role'], both: [2, 'both'] }),
  option('sessionStatuses', { absent: [4], given: [2, ['Accepted'], ['Accepted', 'Waitlisted']] }),
  option('includeHidden', { absent: [2], false: [1.5, false], true: [1, true] }),
  option('includePending', { absent: [2], false: [1, false], true: [1, true] }),
  option('oneToOneTypes', {
    absent: [2],
    given: [1, ['Hosted Buyer', 'Zwiegespräch ÄÖ'], ['one on one', 'Hosted buyer']],
  }),
  option('locationSeparator', { absent: [2], given: [1, ', ', ' / ', '', "'%' "] }),
  option(
    'fields',
    {
      absent: [3],
      facebook: [1, { facebook: 'FbPage' }],
      both: [1, { facebook: 'fbpage', linkedin: 'Website' }],
    },
    'option fields of A',
  ),
]

const OPTIONS_B = [
  timeZone,
  option('speakerRegistrantType', {
    absent: [3],
    'a name, in another case': [2, ' rEFERENT ÄÖ '],
    'an id': [2, '20'],
  }),
  option('cancelledSpeakers', { absent: [1], keep: [1, 'keep'], exclude: [2, 'exclude'] }),
  option('fields', { absent: [2], email: [1, { email: 'work_email' }] }, 'option fields of B'),
]

const content = traps<readonly Content[]>('option content', {
  all: [4, ['agenda', 'speakers', 'attendees']],
  agenda: [1, ['agenda']],
  speakers: [1.5, ['speakers']],
  attendees: [1.5, ['attendees']],
  'agenda and speakers': [1, ['agenda', 'speakers']],
  'agenda and attendees': [1, ['agenda', 'attendees']],
  'speakers and attendees': [1, ['speakers', 'attendees']],
})

const removals = traps<OptionsOfBoth['removals']>('option removals', {
  remove: [4, 'remove'],
  keep: [1, 'keep'],
})

const removalLimits = traps<Pick<OptionsOfBoth, 'maxShare' | 'minCount'>>('option removal limits', {
  'as by default': [2, { maxShare: 0.2, minCount: 5 }],
  'few may go': [1, { maxShare: 0.05, minCount: 1 }],
  'all may go': [3, { maxShare: 1, minCount: 0 }],
})

const maxStatedShare = traps<number>('option maxStatedShare', {
  'as by default': [2, 0.5],
  'a tenth': [1, 0.1],
})

const blackout = traps<boolean>('option blackout', { true: [2, true], false: [2, false] })

const massUpdate = traps<number>('option massUpdate', {
  'as by default': [2, 0.5],
  all: [0.5, 1],
  'a tenth': [3, 0.1],
})

const onHold = traps<OptionsOfBoth['onHold']>('option onHold', {
  stop: [1, 'stop'],
  withholdRemovals: [1, 'withholdRemovals'],
})

export function drawOptionsOfBoth(draw: Draw): OptionsOfBoth {
  return {
    content: content(draw),
    removals: removals(draw),
    ...removalLimits(draw),
    maxStatedShare: maxStatedShare(draw),
    blackout: blackout(draw),
    massUpdate: massUpdate(draw),
    onHold: onHold(draw),
  }
}

export function drawOptionsA(draw: Draw): OptionsA {
  return Object.assign({}, ...OPTIONS_A.map((option) => option(draw)))
}

export function drawOptionsB(draw: Draw): OptionsB {
  return Object.assign({}, ...OPTIONS_B.map((option) => option(draw)))
}
