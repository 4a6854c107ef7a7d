import { type Draw, traps } from '../../harness/draw.ts'
import { type Json, num, obj } from '../../harness/json.ts'
import type { Fields } from './elements.ts'
import { urlValue } from './link-traps.ts'
import { idList } from './reference-traps.ts'
import { brokenText, optionalText, requiredText } from './text-traps.ts'

const roles = traps<Json | undefined>('Roles', {
  'Speaker alone': [4, 'Speaker'],
  'Speaker among others': [3, 'Admin|Speaker', 'Speaker|Attendee', 'Admin | Speaker '],
  'list with Speaker': [2, ['Speaker'], ['Admin', 'Speaker']],
  'list in another form': [
    1,
    obj({ 0: 'Admin', 2: 'Speaker' }),
    '["Admin","Speaker"]',
    ' {"1":"speaker"} ',
    '["Admin"]',
  ],
  'list without': [1, [], ['Admin'], ['SpeakerCoach']],
  'Speaker in another case': [1, 'speaker', 'Admin|SPEAKER', ['speaker']],
  'another role': [2, 'Attendee', 'SpeakerCoach', 'Admin|Moderator'],
  none: [2, null, '', undefined, num(3), obj({})],
})

const isPending = traps<Json | undefined>('IsPending', {
  absent: [6, undefined],
  false: [10, false],
  true: [2, true],
  'true as text or number': [1, 'true', 'YES', num(1), '1'],
  'false as text or number': [1, 'False', 'no', num(0)],
  'neither true nor false': [1, 'pending', num(2), obj({})],
  null: [1, null],
})

const emailAddress = traps<Json | undefined>('EmailAddress', {
  plain: [20, ({ random }) => `ann${random.below(1000)}@x.example`],
  'capital letters': [3, ({ random }) => `Bob.${random.below(1000)}@X.Example`],
  'other letters': [1, ({ random }) => `ÄNNE${random.below(1000)}@X.example`],
  'in NFD': [1, ({ random }) => `ZOE\u0308${random.below(1000)}@X.example`],
  'with a domain of other letters': [
    1,
    ({ random }) =>
      random.pick([
        'bob@bücher.example',
        'Bob@xn--bcher-kva.example',
        'bob@BU\u0308CHER.example',
        'bob@xn--a-.é x',
      ]),
  ],
  padded: [1, ({ random }) => ` eve${random.below(1000)}@x.example\u00a0`],
  'the id of another': [0.3, 'u1'],
  'of several users': [1, 'Team@x.example', 'team@x.example'],
  'with U+0000': [1, ({ random }) => `Zoe\u0000${random.below(1000)}@x.example`],
  'no text': [2, brokenText],
})

/** Values for the fields Facebook and LinkedIn: a handle, a host with a path, a URL, or another text. */
const profile = traps<Json | undefined>('profile', {
  URL: [3, 'https://www.facebook.com/ann', 'http://example.org/ann?x=1', 'https://au.linkedin.com/in/x'],
  handle: [3, 'ann', 'ann.b-c_9', '007'],
  'host and path': [2, 'facebook.com/ann', 'linkedin.com/in/ann', 'www.facebook.com/ann/'],
  'subdomain and path': [2, 'm.facebook.com/ann', 'au.linkedin.com/in/ann'],
  'host in capital letters': [1, 'Facebook.com/Ann', 'WWW.LinkedIn.com/in/A'],
  'host and slash': [1, 'facebook.com/', 'linkedin.com/'],
  'two slashes in front': [1, '//facebook.com/ann'],
  'a host that looks like it': [
    2,
    'notfacebook.com/x',
    'facebook.com.evil.example/x',
    'mylinkedin.com/in/x',
    'linkedin.com.x/in/y',
  ],
  'host without path': [1, 'facebook.com', 'www.linkedin.com'],
  'handle with U+0000': [1, 'an\u0000n'],
  'handle with @': [1, '@ann'],
  'white space within': [1, 'ann smith', 'https://www.facebook.com/a b', 'www.linkedin.com/in/a b'],
  'other letters': [1, 'änne'],
  number: [1, num(1234567)],
  'no text': [3, brokenText],
})

export function makeUser(draw: Draw, sessionIds: readonly string[]): Fields {
  const { random } = draw
  return {
    FirstName: requiredText(draw),
    LastName: requiredText(draw),
    EmailAddress: emailAddress(draw),
    Title: optionalText(draw),
    Company: optionalText(draw),
    Biography: optionalText(draw),
    PhotoLink: urlValue(draw),
    Website: random.chance(0.3) ? profile(draw) : null,
    FbPage: random.chance(0.3) ? profile(draw) : undefined,
    Twitter: random.chance(0.3) ? '@ann' : null,
    LinkedIn: profile(draw),
    Facebook: profile(draw),
    Blog: null,
    Roles: roles(draw),
    IsPending: isPending(draw),
    ProfileIsPublic: random.pick([true, false, undefined]),
    SpeakingAt: random.chance(0.3) ? [] : idList(draw, sessionIds),
  }
}
