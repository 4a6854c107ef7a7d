import type { TablesOf } from '../declare/resource.ts'
import { source } from '../declare/source.ts'
import { agenda } from './agenda.ts'
import { attendees } from './attendees.ts'
import type { OptionsA } from './options.ts'
import type * as resources from './resources.ts'
import { rooms, sessions, sessionTypes, timeSlots, tracks, users, VISIBLE } from './resources.ts'
import { speakers } from './speakers.ts'

declare module '../declare/resource.ts' {
  interface StagingTables extends TablesOf<typeof resources> {}
}

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
