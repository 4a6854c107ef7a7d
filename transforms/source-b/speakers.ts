import { sql } from 'kysely'
import { content } from '../declare/content.ts'
import { counterpart, HTML, optional, references, required, uniqueId } from '../declare/field.ts'
import type { RecordContext } from '../declare/resource.ts'
import type { OptionsB } from './options.ts'
import { registrants, regTypes } from './resources.ts'

const registrant = registrants.columns
const type = regTypes.columns

/** The speakers of Source B, which are all registrants with the registrant type of speakers. */
export const speakers = content<OptionsB>('speakers', registrants, {
  alias: 'registrant',
  lookups: { type: { resource: regTypes, by: registrant.reg_type_id } },
  uniqueId: uniqueId({ column: registrants.id }, '2.7.9'),
  fields: {
    firstName: required(registrant.first_name, '2.7.1'),
    lastName: required(registrant.last_name, '2.7.2'),
    title: optional(registrant.job_title, '2.7.3'),
    company: optional(registrant.company, '2.7.4'),
    description: optional(registrant.bio, '2.7.5', HTML),
    sessionIds: references(
      { content: 'agenda', from: registrant.session_ids },
      '2.7.7',
      'The ids of all synced sessions of the registrant, in byte order.',
    ),
    attendeeId: counterpart(
      'attendees',
      '2.7.8',
      'The id of the registrant, if the attendee with this id is synced; otherwise the field is left out.',
      { column: registrants.id },
    ),
    twitter: optional(
      registrant.twitter_handle,
      '2.7.6',
      'The handle without "@". If the value is an address, the handle is the last segment of its path.',
    ),
  },
  exclude: [
    {
      reason: 'cancelled',
      isAttested: true,
      when: ({ at, options }) =>
        options.cancelledSpeakers === 'exclude' ? sql`${at(registrant.cancelled_at)} is not null` : null,
      why: 'The registration is cancelled, and source.cancelledSpeakers: exclude leaves such speakers out.',
      todo: 'Nothing, if that is right; otherwise undo the cancellation at the source, or set source.cancelledSpeakers to keep.',
      columns: [registrant.cancelled_at],
    },
    {
      reason: 'not_a_speaker',
      isAttested: true,
      when: (context) => sql`(${isSpeaker(context)}) is not true`,
      explanation: (_, { speakerRegistrantType }) => ({
        why: `The registrant type is not "${speakerRegistrantType}", which makes a speaker (source.speakerRegistrantType).`,
        todo: 'If the registrant speaks, give the registrant that type at the source.',
        columns: [registrant.reg_type_id, type.name],
      }),
    },
  ],
})

/**
 * Makes the SQL condition that a registrant's type has the id or the name that the configuration sets. The
 * name of a registrant type comes from the record itself. If the record has no name of the type, the name
 * comes from the registrant type with this id. If no registrant type with this id is known, the name is the
 * text in `reg_type_id`.
 */
function isSpeaker({ at, options }: RecordContext<OptionsB>) {
  const wanted = options.speakerRegistrantType.trim()
  const name = sql`case when ${at(registrant.reg_type_value)} is null
    then coalesce(${at(type.name_folded)}, ${at(registrant.reg_type_folded)}) else ${at(registrant.reg_type_folded)} end`
  return sql`${name} = ${wanted.toLowerCase()} or ${at(registrant.reg_type_id)} = ${wanted}`
}
