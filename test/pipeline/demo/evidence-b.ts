import { event, isObject, isZone, list, repeated, text, unsupported } from './records.ts'

const { b } = event

/** The same for Source B. */
export const shownByB: Readonly<Record<string, readonly unknown[]>> = {
  'b-timezone-own': b.sessions.filter(
    ({ timezone }) => /^(Europe|US)\//.test(text(timezone)) && isZone(text(timezone)),
  ),
  'b-timezone-junk': b.sessions.filter(({ timezone }) => typeof timezone === 'string' && !isZone(timezone)),
  'b-end-next-day': b.sessions.filter(
    ({ start_time, end_time }) =>
      text(end_time) !== '' && text(end_time) < text(start_time) && text(start_time) > '2',
  ),
  'b-end-equals-start': b.sessions.filter(
    ({ start_time, end_time }) => start_time !== null && start_time === end_time,
  ),
  'b-date-null': b.sessions.filter(({ date }) => text(date) === ''),
  'b-times-null': b.sessions.filter(({ end_time }) => end_time === null),
  'b-date-impossible': b.sessions.filter(
    ({ date, start_time }) => /^0000/.test(text(date)) || start_time === '9 am',
  ),
  'b-time-skipped': b.sessions.filter(
    ({ date, start_time }) => date === '2031-03-09' && text(start_time) === '02:30:00',
  ),
  'b-time-ambiguous': b.sessions.filter(
    ({ date, start_time }) => date === '2031-11-02' && text(start_time) === '01:30:00',
  ),
  'b-description-empty': b.sessions.filter(({ description }) => text(description).trim() === ''),
  'b-description-html': b.sessions.filter(({ description }) => /<p>.*<a href/.test(text(description))),
  'b-session-repeated-id': repeated(b.sessions, 'id'),
  'b-session-name-blank': b.sessions.filter(({ name }) => text(name) === ''),
  'b-session-unsupported-character': unsupported(b.sessions),
  'b-session-formula': b.sessions.filter(({ name }) => /^[=+\-@]/.test(text(name))),

  'b-type-text': b.registrants.filter(({ reg_type_id }) => reg_type_id === '902'),
  'b-type-object': b.registrants.filter(
    ({ reg_type_id }) => isObject(reg_type_id) && text(reg_type_id.id) === '902',
  ),
  'b-type-name': b.registrants.filter(({ reg_type_id }) => reg_type_id === 'Speaker'),
  'b-cancelled-speaker': b.registrants.slice(0, 150).filter(({ cancelled_at }) => cancelled_at !== null),
  'b-twitter-forms': b.registrants.filter(({ twitter_handle }) => /^(@|https:)/.test(text(twitter_handle))),
  'b-bio-html': b.registrants.filter(({ bio }) => text(bio).startsWith('<p>')),
  'b-speaker-without-last-name': b.registrants.filter(({ last_name }) => text(last_name) === ''),
  'b-type-empty': b.registrants.filter(
    ({ reg_type_id }) => reg_type_id === null || (isObject(reg_type_id) && reg_type_id.id === ''),
  ),
  'b-cancelled-not': b.registrants.filter(
    ({ cancelled_at }) => cancelled_at !== null && /^(\s*|false|0000.*)$/.test(String(cancelled_at)),
  ),
  'b-cancelled': b.registrants.filter(
    ({ cancelled_at }) => cancelled_at === true || /^2031-02/.test(text(cancelled_at)),
  ),
  'b-sessions-forms': b.registrants.filter(
    ({ session_ids }) => !Array.isArray(session_ids) || session_ids.some((id) => isObject(id)),
  ),
  'b-sessions-unknown': b.registrants.filter(({ session_ids }) => list(session_ids).includes(599_999)),
  'b-waitlisted': b.registrants.filter(
    ({ waitlisted_session_ids }) => list(waitlisted_session_ids).length > 0,
  ),
  'b-registrant-repeated-id': repeated(b.registrants, 'id'),
  'b-email-missing': b.registrants.filter(({ email }) => text(email) === ''),
  'b-email-shared': repeated(
    b.registrants.filter(({ email }) => text(email) !== ''),
    'email',
  ),
  'b-registrant-unsupported-character': unsupported(b.registrants),
  'b-registrant-formula': b.registrants.filter(
    ({ company, job_title }) => /^[=@]|^-/.test(text(company)) || /^-/.test(text(job_title)),
  ),
  'b-phone-number': b.registrants.filter(({ mobile_phone }) => typeof mobile_phone === 'number'),
  'b-name-absent': b.registrants.filter(({ first_name }) => text(first_name).trim() === ''),
}
