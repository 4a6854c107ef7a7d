import type { Content } from '../../../sql/tables.ts'
import type { MappedField } from '../../check/fields.ts'
import { nounOf } from '../../check/reads.ts'
import type { SourceAConfig } from './config.ts'

/** Places in the account of Source A. Source: spec 2.1. */
export const PROFILE_FIELDS = 'Admin → Users → Profile Fields'
export const SESSION_FIELDS = 'Admin → Sessions → Session Fields → Standard Fields'
const EMPTY_OR_HIDDEN = 'either nobody filled it, or it is not set to View'

/** The fields of Source A that are mapped, in the order of the specification's tables. Source: spec 2.2 to 2.4. */
export function fieldsOfA({ fields }: SourceAConfig): readonly MappedField[] {
  const [agenda, speakers, attendees] = [['agenda'], ['speakers'], ['attendees']] as const
  const everybody = ['speakers', 'attendees'] as const
  const none = [] as const
  return [
    sessionField('title', 'Title', agenda, none),
    sessionField('description', 'Description', none, agenda),
    sessionField('time_slot_id', 'TimeSlotId', agenda, none),
    sessionField('room_id', 'RoomId', none, agenda),
    sessionField('track_id', 'TrackId', none, agenda),
    sessionField('session_type_id', 'SessionTypeId', none, agenda),
    sessionField('speaker_ids', 'Speakers', none, ['agenda', 'speakers']),
    sessionField('link_urls', 'Links', none, agenda),
    lookupField('time_slots', 'start_time', 'StartTime', agenda, none),
    lookupField('time_slots', 'end_time', 'EndTime', agenda, none),
    lookupField('rooms', 'location', 'Location', none, agenda),
    lookupField('rooms', 'name', 'Name', none, agenda),
    lookupField('tracks', 'title', 'Title', none, agenda),
    lookupField('session_types', 'title', 'Title', none, agenda),
    userField('id', 'Id', speakers, attendees),
    userField('first_name', 'FirstName', everybody, none),
    userField('last_name', 'LastName', everybody, none),
    userField('email_address', 'EmailAddress', attendees, none),
    userField('title', 'Title', none, everybody),
    userField('company', 'Company', none, everybody),
    userField('biography', 'Biography', none, speakers),
    userField('photo_link', 'PhotoLink', none, speakers),
    userField('speaking_at', 'SpeakingAt', none, speakers),
    userField(
      'facebook_url',
      fields.facebook,
      none,
      speakers,
      ', or name another field in source.fields.facebook',
    ),
    userField(
      'linkedin_url',
      fields.linkedin,
      none,
      speakers,
      ', or name another field in source.fields.linkedin',
    ),
  ]
}

type FieldContents = readonly Content[]

function userField(
  column: string,
  name: string,
  requiredFor: FieldContents,
  optionalFor: FieldContents,
  otherwise = '',
): MappedField {
  const todo = `${PROFILE_FIELDS}: set ${name} to View for Anonymous${otherwise}`
  return { ...hideable('users', column, name, requiredFor, optionalFor), todo }
}

function sessionField(
  column: string,
  name: string,
  requiredFor: FieldContents,
  optionalFor: FieldContents,
): MappedField {
  const todo = `${SESSION_FIELDS}: set ${name} to View for Anonymous or Attendees/Anonymous`
  return { ...hideable('sessions', column, name, requiredFor, optionalFor), todo }
}

/** A field of what sessions refer to; the specification names no switch of its own for it. */
function lookupField(
  resource: string,
  column: string,
  name: string,
  requiredFor: FieldContents,
  optionalFor: FieldContents,
): MappedField {
  const todo = `fill ${name} of the ${nounOf(resource)} in the source account, and let Anonymous see it`
  return { ...hideable(resource, column, name, requiredFor, optionalFor), clause: 'spec 2.2', todo }
}

function hideable(
  resource: string,
  column: string,
  name: string,
  requiredFor: FieldContents,
  optionalFor: FieldContents,
): Omit<MappedField, 'todo'> {
  const sentence = `Anonymous sees ${name} of ${nounOf(resource)}`
  const common = { clause: 'spec 2.1', emptyMeans: EMPTY_OR_HIDDEN, sentence }
  return { resource, column, name, requiredFor, optionalFor, ...common }
}
