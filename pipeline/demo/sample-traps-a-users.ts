import {
  having,
  lacking,
  type Neighbour,
  renaming,
  sharingId,
  type Trap,
  trap,
  trapOnce,
} from './sample-trap.ts'

/** What a user's twist may use beside the user. */
export interface UserPlace extends Neighbour {
  /** the id of an ordinary session, as every session's `Id` has it */
  readonly sessionId: unknown
}

/** What users show whom the programme has speaking. */
export const speakerTrapsOfA: readonly Trap<UserPlace>[] = [
  trap(
    'a-facebook-forms',
    'Facebook as handle, bare host, URL, garbage',
    having({ Facebook: 'tidewater.cities' }),
    having({ Facebook: 'facebook.com/tidewater' }),
    having({ Facebook: 'https://m.facebook.com/tidewater?ref=x' }),
    having({ Facebook: 'ask me!' }),
    having({ Facebook: 'example.org/tidewater' }),
  ),
  trap(
    'a-linkedin-forms',
    'LinkedIn as handle, bare host, URL, garbage',
    having({ LinkedIn: 'tide-water_9' }),
    having({ LinkedIn: 'au.linkedin.com/in/tidewater' }),
    having({ LinkedIn: 'http://www.linkedin.com/in/tidewater/' }),
    having({ LinkedIn: 'in/tide water' }),
    having({ LinkedIn: 'evil-linkedin.com/in/x' }),
  ),
  trap(
    'a-pending-speaker',
    'IsPending is true: no speaker yet, but an attendee',
    having({ IsPending: true }),
  ),
  trap('a-roles-list', 'Roles as an array', having({ Roles: ['Attendee', 'Speaker'] })),
  trap(
    'a-named-by-session-only',
    'a session names the user, whose SpeakingAt is empty',
    having({ SpeakingAt: [] }),
  ),
  trap(
    'a-speaking-at-ids',
    'SpeakingAt as bare ids',
    (user, { sessionId }) => ({ ...user, SpeakingAt: [sessionId] }),
    (user, { sessionId }) => ({ ...user, SpeakingAt: [String(sessionId)] }),
  ),
  trap(
    'a-photo-unusable',
    'PhotoLink that is no http(s) URL',
    having({ PhotoLink: '/images/me.jpg' }),
    having({ PhotoLink: 'data:image/png;base64,iVBORw0KGgo=' }),
  ),
  trap(
    'a-field-hidden',
    'fields not on "View": null or absent',
    having({ Biography: null, Company: null, Title: null }),
    lacking('Biography', 'Company', 'Title'),
  ),
  trap(
    'a-speaker-without-last-name',
    'a required name is missing',
    having({ LastName: '' }),
    having({ LastName: null }),
  ),
  trap(
    'a-speaker-without-email',
    'a speaker, but no attendee',
    having({ EmailAddress: null }),
    lacking('EmailAddress'),
  ),
  trap(
    'a-user-key-spelling',
    'keys in another case',
    renaming({ FirstName: 'firstName', LastName: 'lastName', EmailAddress: 'emailAddress' }),
    renaming({ Id: 'ID', SpeakingAt: 'speakingAt' }),
  ),
  trap(
    'a-speaker-without-id',
    'a user without id but with an e-mail address who is said to speak',
    (user, { sessionId }) => ({ ...user, Id: null, SpeakingAt: [{ Id: sessionId }] }),
  ),
]

/** What users show who only attend. */
export const attendeeTrapsOfA: readonly Trap<UserPlace>[] = [
  trap(
    'a-names-session-only',
    'the user names a session that does not name the user',
    (user, { sessionId }) => ({ ...user, SpeakingAt: [{ Id: sessionId, Title: 'as the user has it' }] }),
  ),
  trap(
    'a-speaking-at-unknown',
    'SpeakingAt names a session that is not served',
    having({ SpeakingAt: [{ Id: 599_999, Title: 'Withdrawn' }] }),
  ),
  trap('a-user-repeated-id', 'two users with one id: the later counts', sharingId('Id')),
  trap('a-user-without-id', 'no id: the e-mail address stands for it', lacking('Id'), having({ Id: '' })),
  trapOnce(
    'a-record-without-id',
    'neither id nor e-mail address: quarantined, so that the resource cannot be certified',
    (user) => ({ ...user, Id: null, EmailAddress: null }),
  ),
  trap(
    'a-user-unsupported-character',
    'U+0000 and lone surrogates',
    having({ FirstName: 'Nul\u0000la' }),
    having({ Company: 'Broken \ud800 Pair Ltd.' }),
  ),
  trap(
    'a-user-formula',
    'values that a spreadsheet would run',
    having({ Company: '=1+1 Consulting' }),
    having({ Title: '+Plus Director' }),
    having({ Company: '-Minus- Studio' }),
    having({ Title: '@large' }),
    having({ Company: '＝全角会社' }),
  ),
  trap(
    'a-user-list-characters',
    '; \\ " and line breaks within a value',
    having({ Company: 'Rope; Sail \\ Oar' }),
    having({ Title: 'Head of "Quotes",\r\nand of line breaks' }),
  ),
  trap(
    'a-email-missing',
    'no e-mail address: no attendee',
    having({ EmailAddress: '' }),
    having({ EmailAddress: null }),
  ),
  trap('a-email-padded', 'blanks around a value', (user) => ({
    ...user,
    EmailAddress: `  ${user.EmailAddress} `,
  })),
  trap('a-number-as-text', 'a number where text is due counts as its text', having({ Company: 1871 })),
  trap(
    'a-user-not-text',
    'an object or list where text is due',
    having({ Title: ['Captain'] }),
    having({ Company: {} }),
  ),
  trap(
    'a-roles-other',
    'Roles with a comma, or null',
    having({ Roles: 'Attendee,Admin' }),
    having({ Roles: null }),
  ),
  trap('a-pending-attendee', 'IsPending is true: an attendee all the same', having({ IsPending: true })),
]
