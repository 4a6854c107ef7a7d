import { content } from '../declare/content.ts'
import { optional, required, uniqueId } from '../declare/field.ts'
import type { OptionsA } from './options.ts'
import { users } from './resources.ts'

const user = users.columns

/** The attendees of Source A, which are all users that have every required field. */
export const attendees = content<OptionsA>('attendees', users, {
  alias: 'user',
  uniqueId: uniqueId(
    { column: users.id, key: 'Id' },
    '2.4.6',
    'The id of the user, with all digits as the source writes them. A user without an id has the e-mail address as unique ID, in lower case and NFC, with its domain in Unicode.',
    { also: [{ column: user.email_address }] },
  ),
  fields: {
    firstName: required(user.first_name, '2.4.1'),
    lastName: required(user.last_name, '2.4.2'),
    emailAddress: required(user.email_address, '2.4.3', {
      why: 'The e-mail address is required of an attendee, and the source has none.',
    }),
    title: optional(user.title, '2.4.4'),
    company: optional(user.company, '2.4.5'),
  },
})
