import { source } from '../declare/source.ts'
import { registrants, regTypes, sessions } from '../resources/source-b.ts'
import { agenda } from './agenda.ts'
import { attendees } from './attendees.ts'
import type { OptionsB } from './options.ts'
import { speakers } from './speakers.ts'

export const transformB = source<OptionsB>({
  resources: [sessions, registrants, regTypes],
  contents: [agenda, speakers, attendees],
  people: {
    records: registrants,
    address: registrants.columns.email,
    keys: (options) => ({
      ids: new Set(['id']),
      lists: new Set(['registrants', 'registrant_ids']),
      addresses: new Set(['email', ...(options?.fields.email === undefined ? [] : [options.fields.email])]),
      foldsKeys: false,
    }),
  },
  fillIn: 'Fill it in at the source.',
})
