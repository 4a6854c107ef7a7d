import { having, type Neighbour, sharingId, type Trap, trap } from './sample-trap.ts'

/** What a registrant's twist may use beside the registrant. */
export interface RegistrantPlace extends Neighbour {
  /** the ids of two ordinary sessions */
  readonly sessionIds: readonly [unknown, unknown]
}

/** What registrants show who are speakers by their registrant type. */
export const speakerTrapsOfB: readonly Trap<RegistrantPlace>[] = [
  trap('b-type-text', 'reg_type_id as a string', having({ reg_type_id: '902' })),
  trap(
    'b-type-object',
    'reg_type_id as an object; case and blanks in the name do not count',
    having({ reg_type_id: { id: 902, value: 'Speaker' } }),
    having({ reg_type_id: { id: '902', value: ' speaker ' } }),
    having({ reg_type_id: { id: 902, value: null } }),
  ),
  trap(
    'b-type-name',
    'the name of the type itself stands in reg_type_id',
    having({ reg_type_id: 'Speaker' }),
  ),
  trap(
    'b-cancelled-speaker',
    'a speaker who has cancelled: still a speaker, no attendee',
    having({ cancelled_at: '2031-02-14 09:30:00', registration_status: 'cancelled' }),
  ),
  trap(
    'b-twitter-forms',
    'twitter_handle with @, as URL, as nothing but @',
    having({ twitter_handle: '@tidewater_forum' }),
    having({ twitter_handle: 'https://twitter.com/tidewater?lang=en' }),
    having({ twitter_handle: 'https://x.com/@tidewater/' }),
    having({ twitter_handle: '@' }),
  ),
  trap('b-bio-html', 'HTML in a biography', having({ bio: '<p>Writes &amp; sails.<br/>Since 2004.</p>' })),
  trap(
    'b-speaker-without-last-name',
    'a required name is missing',
    having({ last_name: '' }),
    having({ last_name: null }),
  ),
]

/** What registrants show who only attend. */
export const attendeeTrapsOfB: readonly Trap<RegistrantPlace>[] = [
  trap(
    'b-type-empty',
    'reg_type_id is an empty object, or null',
    having({ reg_type_id: { id: '', value: null } }),
    having({ reg_type_id: null }),
  ),
  trap(
    'b-cancelled-not',
    'values of cancelled_at that do not cancel',
    having({ cancelled_at: '' }),
    having({ cancelled_at: false }),
    having({ cancelled_at: '0000-00-00 00:00:00' }),
    having({ cancelled_at: ' ' }),
  ),
  trap(
    'b-cancelled',
    'cancelled attendees',
    having({ cancelled_at: '2031-02-01 08:15:30', registration_status: 'cancelled' }),
    having({ cancelled_at: '2031-02-20T17:00:00Z', registration_status: 'cancelled' }),
    having({ cancelled_at: true }),
  ),
  trap<RegistrantPlace>(
    'b-sessions-forms',
    'session_ids as numbers, objects, comma string, null',
    (registrant, { sessionIds }) => ({ ...registrant, session_ids: [...sessionIds] }),
    (registrant, { sessionIds }) => ({ ...registrant, session_ids: sessionIds.map((id) => ({ id })) }),
    (registrant, { sessionIds }) => ({ ...registrant, session_ids: sessionIds.map(String).join(', ') }),
    (registrant, { sessionIds }) => ({ ...registrant, session_ids: String(sessionIds[0]) }),
    having({ session_ids: [] }),
    having({ session_ids: null }),
    having({ session_ids: '' }),
  ),
  trap(
    'b-sessions-unknown',
    'session_ids name a session that is not served, and one twice',
    (registrant, { sessionIds: [one] }) => ({ ...registrant, session_ids: [599_999, one, one] }),
  ),
  trap(
    'b-waitlisted',
    'waitlisted_session_ids stay out of agendas',
    (registrant, { sessionIds: [one, two] }) => ({
      ...registrant,
      session_ids: [one],
      waitlisted_session_ids: [two],
    }),
  ),
  trap('b-registrant-repeated-id', 'two registrants with one id: the later counts', sharingId('id')),
  trap('b-email-missing', 'no e-mail address: no attendee', having({ email: '' }), having({ email: null })),
  trap('b-email-shared', 'two people with one address', (registrant, { borrow }) => ({
    ...registrant,
    email: borrow().email,
  })),
  trap(
    'b-registrant-unsupported-character',
    'U+0000 and lone surrogates',
    having({ first_name: 'Nul\u0000la' }),
    having({ company: 'Broken \udc00 Pair Ltd.' }),
  ),
  trap(
    'b-registrant-formula',
    'values that a spreadsheet would run (so would every phone number with +)',
    having({ company: '=cmd|calc!A1' }),
    having({ job_title: '-Minister' }),
    having({ company: '@work' }),
    having({ mobile_phone: '+1 202 555 0100' }),
  ),
  trap('b-phone-number', 'a phone number that is a JSON number', having({ mobile_phone: 12025550123 })),
  trap('b-name-absent', 'empty text is absent', having({ first_name: '' }), having({ first_name: ' ' })),
]
