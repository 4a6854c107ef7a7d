import { excluded, synced } from './traps.ts'
import { type TrapOfA, trapsOfA } from './traps-of-a.ts'
import { type TrapOfB, trapsOfB } from './traps-of-b.ts'

const says = (Description: unknown) => ({ session: { Description } })
const description = (text: string, detail?: string) => synced({ description: text }, detail)
const absent = synced({ description: undefined })
const notText = synced({ description: undefined }, 'not_text:description')
const unsupported = 'unsupported_character:description'

const trimming: readonly TrapOfA[] = [
  {
    name: 'blanks, tabs and line breaks around a text are trimmed',
    ...says(' \t\r\n text \v\f'),
    agenda: description('text'),
  },
  { name: 'a no-break space is trimmed', ...says('\u00a0text\u202f'), agenda: description('text') },
  { name: 'a byte order mark is trimmed', ...says('\ufefftext\ufeff'), agenda: description('text') },
  { name: 'an ideographic blank is trimmed', ...says('\u3000text\u3000'), agenda: description('text') },
  {
    name: 'line and paragraph separators are trimmed',
    ...says('\u2028text\u2029'),
    agenda: description('text'),
  },
  {
    name: 'a zero-width space is no blank',
    ...says('\u200btext\u200b'),
    agenda: description('\u200btext\u200b'),
  },
  {
    name: 'a control character is no blank',
    ...says('\u001ftext\u0085'),
    agenda: description('\u001ftext\u0085'),
  },
  {
    name: 'blanks within a text stay',
    ...says('a  b\u00a0\tc\r\n\r\nd'),
    agenda: description('a  b\u00a0\tc\r\n\r\nd'),
  },
  { name: 'an empty text is absent', ...says(''), agenda: absent },
  { name: 'a blank text is absent', ...says(' \u00a0\ufeff\u3000\n'), agenda: absent },
  { name: 'null is absent', ...says(null), agenda: absent },
  { name: 'a text that is not there is absent', ...says(undefined), agenda: absent },
  {
    name: 'HTML and its entities stay',
    ...says('<p>A &amp; <b>B</b>&nbsp;</p>'),
    agenda: description('<p>A &amp; <b>B</b>&nbsp;</p>'),
  },
  {
    name: 'letters with combining marks are not composed',
    ...says('e\u0301 \u00e9'),
    agenda: description('e\u0301 \u00e9'),
  },
  {
    name: 'a very long text stays whole',
    ...says('long '.repeat(20_000).trim()),
    agenda: description('long '.repeat(20_000).trim()),
  },
  { name: 'the word null is a text', ...says('null'), agenda: description('null') },
]

const kinds: readonly TrapOfA[] = [
  { name: 'a number counts as its text', ...says(2031), agenda: description('2031') },
  {
    name: 'a number keeps its digits',
    ...says(JSON.rawJSON('12345678901234567890.50')),
    agenda: description('12345678901234567890.50'),
  },
  { name: 'a number keeps its exponent', ...says(JSON.rawJSON('-1E+3')), agenda: description('-1E+3') },
  { name: 'true is no text', ...says(true), agenda: notText },
  { name: 'false is no text', ...says(false), agenda: notText },
  { name: 'an object is no text', ...says({ en: 'text' }), agenda: notText },
  { name: 'a list is no text', ...says(['text']), agenda: notText },
  { name: 'an empty list is no text', ...says([]), agenda: notText },
  {
    name: 'a required field that is no text is missing, and marked',
    session: { Title: true },
    agenda: excluded('missing_required:name', 'not_text:name'),
  },
]

const characters: readonly TrapOfA[] = [
  { name: 'U+0000 is dropped, and marked', ...says('a\u0000b'), agenda: description('ab', unsupported) },
  {
    name: 'a text of U+0000 alone is absent, and marked',
    ...says('\u0000'),
    agenda: synced({ description: undefined }, unsupported),
  },
  {
    name: 'blanks that U+0000 had guarded are trimmed',
    ...says('\u0000 a \u0000'),
    agenda: description('a', unsupported),
  },
  {
    name: 'a high surrogate alone becomes U+FFFD, and is marked',
    ...says('a\ud83cb'),
    agenda: description('a\ufffdb', unsupported),
  },
  {
    name: 'a low surrogate alone becomes U+FFFD, and is marked',
    ...says('a\udf0ab'),
    agenda: description('a\ufffdb', unsupported),
  },
  {
    name: 'surrogates in the wrong order become two U+FFFD',
    ...says('\udf0a\ud83c'),
    agenda: description('\ufffd\ufffd', unsupported),
  },
  {
    name: 'a pair of surrogates is one character and stays, without a mark',
    ...says('\ud83c\udf0a'),
    agenda: description('🌊'),
  },
  {
    name: 'U+FFFD that the source sent stays, without a mark',
    ...says('a\ufffdb'),
    agenda: description('a\ufffdb'),
  },
  {
    name: 'other control characters and noncharacters stay',
    ...says('a\u0001\u007f\ufffe\uffffb'),
    agenda: description('a\u0001\u007f\ufffe\uffffb'),
  },
  { name: 'the six letters \\u0000 are a text', ...says('\\u0000'), agenda: description('\\u0000') },
  {
    name: 'a required field of U+0000 alone is missing, and marked',
    session: { Title: '\u0000' },
    agenda: excluded('missing_required:name', 'unsupported_character:name'),
  },
  {
    name: 'marks of lookups stand on the fields that they serve, each once',
    room: { Location: 'L\u00001', Name: '\ud800Hall' },
    track: { Title: 'Wa\u0000ter' },
    type: { Name: 'Ta\u0000lk' },
    agenda: synced(
      { location: 'L1 - \ufffdHall', sessionTracks: ['Water'], subFilters: ['Talk'] },
      'unsupported_character:location; unsupported_character:sessionTracks; unsupported_character:subFilters',
    ),
  },
]

const marksOfA: readonly TrapOfA[] = [
  {
    name: 'each content of Source A marks the fields that it has, by their platform names, in byte order',
    user: { Title: true, Company: {}, Biography: [], PhotoLink: false, Facebook: [1], LinkedIn: {} },
    speakers: synced(
      { title: undefined, company: undefined, description: undefined },
      'not_text:company; not_text:description; not_text:facebookUrl; not_text:imageUrl; not_text:linkedinUrl; not_text:title',
    ),
    attendees: synced({ title: undefined }, 'not_text:company; not_text:title'),
  },
  {
    name: 'a required name that is no text is missing for both contents, and marked',
    user: { LastName: ['Lovelace'] },
    speakers: excluded('missing_required:lastName', 'not_text:lastName'),
    attendees: excluded('missing_required:lastName', 'not_text:lastName'),
  },
  {
    name: 'an e-mail address is trimmed and keeps its case',
    user: { EmailAddress: '\u00a0Ada.L@People.Example\n' },
    attendees: synced({ emailAddress: 'Ada.L@People.Example' }),
  },
  {
    name: 'marks of several kinds are in byte order',
    user: { Title: 'Na\u0000vigator', Company: true, Facebook: 'ask me!' },
    speakers: synced(
      { title: 'Navigator' },
      'left_out:facebookUrl; not_text:company; unsupported_character:title',
    ),
  },
]

const ofB: readonly TrapOfB[] = [
  {
    name: 'each content of Source B marks the fields that it has, by their platform names, in byte order',
    registrant: { job_title: true, company: {}, bio: [], mobile_phone: false, twitter_handle: {} },
    speakers: synced({}, 'not_text:company; not_text:description; not_text:title; not_text:twitter'),
    attendees: synced(
      { phone: undefined, biography: undefined },
      'not_text:biography; not_text:company; not_text:phone; not_text:title',
    ),
  },
  {
    name: 'marks stand on a cancelled registrant too',
    registrant: { bio: '\ud800', cancelled_at: '2031-02-14' },
    attendees: excluded('cancelled', 'unsupported_character:biography'),
  },
  {
    name: 'a phone number that is a JSON number is its digits',
    registrant: { mobile_phone: JSON.rawJSON('442079460000') },
    attendees: synced({ phone: '442079460000' }),
  },
  {
    name: 'texts of Source B are trimmed, and blank ones absent',
    registrant: { bio: ' <p>x</p>\u3000', company: '', job_title: '\u00a0' },
    attendees: synced({ biography: '<p>x</p>', company: undefined, title: undefined }),
    speakers: synced({ description: '<p>x</p>', company: undefined, title: undefined }),
  },
  {
    name: 'the name of a session of Source B that is no text is missing, and marked',
    session: { name: { en: 'x' }, description: 'a\u0000' },
    agenda: excluded('missing_required:name', 'not_text:name; unsupported_character:description'),
  },
]

trapsOfA('texts of Source A', {}, [...trimming, ...kinds, ...characters, ...marksOfA])
trapsOfB('texts of Source B', {}, ofB)
