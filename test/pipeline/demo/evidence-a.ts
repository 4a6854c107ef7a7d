import { type Draft, event, isObject, list, repeated, text, unsupported } from './records.ts'

const { a } = event
const speakers = a.Users.slice(0, 150)

/** The records of Source A that show each trap, told from the records alone and not from how they were made. */
export const shownByA: Readonly<Record<string, readonly unknown[]>> = {
  'id-digits': [...a.Sessions, ...a.Users].filter(({ Id }) => /^\d{17,}$/.test(JSON.stringify(Id) ?? '')),
  'id-text': a.Users.filter(({ Id }) => typeof Id === 'string' && /^[1-9]/.test(Id)),
  'id-zero-padded': [a.Sessions, a.Users].flatMap((list) =>
    list.filter(
      ({ Id }) => /^0/.test(text(Id)) && list.some((other) => text(other.Id) === text(Id).replace(/^0+/, '')),
    ),
  ),
  'a-lookup-repeated-id': [...repeated(a.Rooms, 'Id'), ...repeated(a.Tracks, 'Id')],
  'a-type-name': a.SessionTypes.filter((type) => !('Title' in type) && type.Name !== undefined),
  'list-characters': [...a.Rooms, ...a.Tracks, ...a.SessionTypes].filter((each) =>
    /;|\\\\|"=/.test(JSON.stringify(each)),
  ),
  scripts: a.Users.filter(({ LastName }) =>
    /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Han}\p{Script=Thai}]/u.test(text(LastName)),
  ),

  'a-time-without-offset': slots(
    (time) =>
      isObject(time) &&
      'UTC' in time &&
      /:\d\d$/.test(text(time.EventTime)) &&
      text(time.EventTime).length === 19 &&
      time.UTC !== null,
  ),
  'a-time-event-time-alone': slots(
    (time) => isObject(time) && text(time.EventTime) !== '' && (time.UTC ?? null) === null,
  ),
  'a-time-plain-with-offset': slots(
    (time) => typeof time === 'string' && /(Z|[+-]\d\d:?\d\d)$/.test(time) && time.includes(':'),
  ),
  'a-time-plain-local': slots(
    (time) => typeof time === 'string' && /^2031-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/.test(time),
  ),
  'a-time-skipped': slots((time) =>
    text(isObject(time) ? time.EventTime : time).startsWith('2031-03-09T02:30'),
  ),
  'a-time-ambiguous': slots((time) =>
    text(isObject(time) ? time.EventTime : time).startsWith('2031-11-02T01:30'),
  ),
  'a-end-not-after-start': a.TimeSlots.filter(
    ({ StartTime, EndTime }) =>
      typeof StartTime === 'string' && Date.parse(String(EndTime)) <= Date.parse(StartTime),
  ),
  'a-time-unreadable': slots(
    (time) => typeof time === 'string' && (Number.isNaN(Date.parse(time)) || /24:00|02-30/.test(time)),
  ),
  'a-slot-without-time': a.TimeSlots.filter(({ StartTime, EndTime }) =>
    [StartTime, EndTime].some((time) => time === null || (isObject(time) && time.EventTime === '')),
  ),

  'a-key-spelling': a.Sessions.filter((session) => ['RoomID', 'roomid'].some((key) => key in session)),
  'a-reference-as-text': a.Sessions.filter(
    (session) => typeof session.RoomId === 'string' || typeof session.TrackId === 'string',
  ),
  'a-time-slot-missing': a.Sessions.filter(
    (session) => session.TimeSlotId === null || !('TimeSlotId' in session || 'TimeSlotID' in session),
  ),
  'a-time-slot-dangling': dangling('TimeSlotId', a.TimeSlots),
  'a-room-dangling': dangling('RoomId', a.Rooms),
  'a-track-dangling': dangling('TrackId', a.Tracks),
  'a-type-dangling': dangling('SessionTypeId', a.SessionTypes),
  'a-one-to-one-meeting': a.Sessions.filter(({ SessionTypeId }) =>
    a.SessionTypes.some(
      (type) =>
        type.Id === SessionTypeId && /^(1:1|one-to-one) meetings?$/i.test(text(type.Title ?? type.Name)),
    ),
  ),
  'a-speakers-as-ids': a.Sessions.filter(({ Speakers }) =>
    list(Speakers).some((speaker) => !isObject(speaker)),
  ),
  'a-speaker-order': a.Sessions.filter(({ Speakers, SpeakerOrder }) => {
    const ids = list(Speakers).map((speaker) => text(isObject(speaker) ? speaker.Id : speaker))
    return ids.length > 1 && list(SpeakerOrder).length > 0 && ids.join() !== list(SpeakerOrder).join()
  }),
  'a-speaker-unknown': a.Sessions.filter(({ Speakers }) =>
    list(Speakers).some((speaker) => isObject(speaker) && speaker.Id === 424242),
  ),

  'a-links-list': links((value) => Array.isArray(value) && new Set(value).size < value.length),
  'a-links-objects': links((value) => Array.isArray(value) && value.some(isObject)),
  'a-links-json-text': links((value) => typeof value === 'string' && /^[[{]/.test(value)),
  'a-links-delimited': links((value) => typeof value === 'string' && /[\s,;|]https?:/.test(value)),
  'a-links-single': links(
    (value) => typeof value === 'string' && /^https?:/.test(value) && value.split('http').length === 2,
  ),
  'a-links-unusable': links((value) => /javascript:|desk/.test(JSON.stringify(value))),

  'a-not-enabled': a.Sessions.filter(({ Enabled }) => Enabled === false),
  'a-hidden': a.Sessions.filter(({ VisibleToAnonymousUsers }) => VisibleToAnonymousUsers === false),
  'a-flag-as-text': a.Sessions.filter(({ Enabled }) => typeof Enabled !== 'boolean'),
  'a-session-repeated-id': repeated(a.Sessions, 'Id'),
  'a-session-unsupported-character': unsupported(a.Sessions),
  'a-session-formula': a.Sessions.filter(({ Title }) => /^[=+\-@']/.test(text(Title))),
  'a-session-title-blank': a.Sessions.filter(
    (session) => 'Title' in session && text(session.Title).trim() === '',
  ),
  'a-session-title-number': a.Sessions.filter(({ Title }) => typeof Title === 'number'),
  'a-session-not-text': a.Sessions.filter(({ Description }) => typeof Description !== 'string'),

  'a-facebook-forms': speakers.filter(({ Facebook }) => Facebook !== null),
  'a-linkedin-forms': speakers.filter(({ LinkedIn }) => !text(LinkedIn).startsWith('https://')),
  'a-pending-speaker': speakers.filter(({ IsPending }) => IsPending === true),
  'a-roles-list': speakers.filter(({ Roles }) => Array.isArray(Roles)),
  'a-named-by-session-only': speakers.filter(
    (user) =>
      user.SpeakingAt !== undefined && list(user.SpeakingAt).length === 0 && sessionsNaming(user).length > 0,
  ),
  'a-speaking-at-ids': speakers.filter(({ SpeakingAt }) =>
    list(SpeakingAt).some((session) => !isObject(session)),
  ),
  'a-photo-unusable': speakers.filter(({ PhotoLink }) => !/^https?:/.test(text(PhotoLink))),
  'a-field-hidden': speakers.filter((user) => (user.Biography ?? null) === null),
  'a-speaker-without-last-name': speakers.filter((user) => 'LastName' in user && text(user.LastName) === ''),
  'a-speaker-without-email': speakers.filter((user) => text(user.EmailAddress ?? user.emailAddress) === ''),
  'a-user-key-spelling': speakers.filter((user) => 'firstName' in user || 'ID' in user),
  'a-speaker-without-id': speakers.filter((user) => user.Id === null && list(user.SpeakingAt).length > 0),

  'a-names-session-only': attendees().filter(({ SpeakingAt }) =>
    JSON.stringify(SpeakingAt).includes('as the user has it'),
  ),
  'a-speaking-at-unknown': attendees().filter(({ SpeakingAt }) =>
    JSON.stringify(SpeakingAt).includes('599999'),
  ),
  'a-user-repeated-id': repeated(attendees(), 'Id'),
  'a-user-without-id': attendees().filter(
    ({ Id, EmailAddress }) => text(Id) === '' && text(EmailAddress) !== '',
  ),
  'a-record-without-id': a.Users.filter(({ Id, EmailAddress }) => text(Id) === '' && EmailAddress === null),
  'a-user-unsupported-character': unsupported(attendees()),
  'a-user-formula': attendees().filter(({ Company, Title }) =>
    [Company, Title].some((value) => /^[=+\-@＝]/.test(text(value))),
  ),
  'a-user-list-characters': attendees().filter(({ Company, Title }) =>
    /;.*\\|".*\n/s.test(text(Company) + text(Title)),
  ),
  'a-email-missing': attendees().filter(
    ({ Id, EmailAddress }) => text(Id) !== '' && text(EmailAddress) === '',
  ),
  'a-email-padded': attendees().filter(
    ({ EmailAddress }) => text(EmailAddress).trim() !== text(EmailAddress),
  ),
  'a-number-as-text': attendees().filter(({ Company }) => typeof Company === 'number'),
  'a-user-not-text': attendees().filter(({ Company, Title }) => isObject(Company) || Array.isArray(Title)),
  'a-roles-other': attendees().filter(({ Roles }) => Roles === null || text(Roles).includes(',')),
  'a-pending-attendee': attendees().filter(({ IsPending }) => IsPending === true),
}

/** Time slots that a session names and whose start is so. */
function slots(isSo: (time: unknown) => boolean): readonly Draft[] {
  return a.TimeSlots.filter(
    ({ Id, StartTime }) => isSo(StartTime) && a.Sessions.some(({ TimeSlotId }) => TimeSlotId === Id),
  )
}

function dangling(key: string, resource: readonly Draft[]): readonly Draft[] {
  return a.Sessions.filter(
    (session) =>
      typeof session[key] === 'number' && !resource.some(({ Id }) => text(Id) === text(session[key]).trim()),
  )
}

function links(isSo: (value: unknown) => boolean): readonly Draft[] {
  return a.Sessions.filter(({ Links }) => Links !== null && isSo(Links))
}

function attendees(): readonly Draft[] {
  return a.Users.slice(150)
}

function sessionsNaming(user: Draft): readonly Draft[] {
  return a.Sessions.filter(({ Speakers }) =>
    list(Speakers).some((speaker) => isObject(speaker) && text(speaker.Id) === text(user.Id)),
  )
}
