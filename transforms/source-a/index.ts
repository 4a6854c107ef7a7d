import { source } from '../declare/source.ts'
import { rooms, sessions, sessionTypes, timeSlots, tracks, users, VISIBLE } from '../resources/source-a.ts'
import { agenda } from './agenda.ts'
import { attendees } from './attendees.ts'
import type { OptionsA } from './options.ts'
import { speakers } from './speakers.ts'

export const transformA = source<OptionsA>({
  resources: [sessions, timeSlots, rooms, tracks, sessionTypes, users],
  contents: [agenda, speakers, attendees],
  people: {
    records: users,
    address: users.columns.email_address,
    ownId: users.columns.id,
    keys: () => ({
      ids: new Set(['id']),
      lists: new Set(['speakers', 'speakerorder']),
      addresses: new Set(['emailaddress', 'email']),
      foldsKeys: true,
    }),
  },
  fillIn: `Fill it in at the source; ${VISIBLE}.`,
})
