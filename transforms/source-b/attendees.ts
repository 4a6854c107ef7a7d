import { sql } from 'kysely'
import { content } from '../declare/content.ts'
import { HTML, optional, references, required, uniqueId } from '../declare/field.ts'
import type { OptionsB } from './options.ts'
import { registrants } from './resources.ts'

const registrant = registrants.columns

/** The attendees of Source B, which are all registrants that are not cancelled. */
export const attendees = content<OptionsB>('attendees', registrants, {
  alias: 'registrant',
  uniqueId: uniqueId({ column: registrants.id }, '2.8.9'),
  fields: {
    firstName: required(registrant.first_name, '2.8.1'),
    lastName: required(registrant.last_name, '2.8.2'),
    emailAddress: required(registrant.email, '2.8.3', {
      why: 'The e-mail address is required of an attendee, and the source has none.',
      todo: 'Fill it in at the source, or name the key that holds it in source.fields.email.',
    }),
    title: optional(registrant.job_title, '2.8.4'),
    company: optional(registrant.company, '2.8.5'),
    biography: optional(registrant.bio, '2.8.6', HTML),
    phone: optional(registrant.mobile_phone, '2.8.7'),
    personalAgenda: references(
      { content: 'agenda', from: registrant.session_ids },
      '2.8.8',
      'The ids of all synced sessions of the registrant, in byte order.',
    ),
  },
  exclude: [
    {
      reason: 'cancelled',
      isAttested: true,
      when: ({ at }) => sql`${at(registrant.cancelled_at)} is not null`,
      why: 'The registration is cancelled.',
      todo: 'Nothing, if that is right; otherwise undo the cancellation at the source.',
      columns: [registrant.cancelled_at],
    },
  ],
})
