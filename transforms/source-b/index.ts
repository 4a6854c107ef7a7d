import type { TablesOf } from '../declare/resource.ts'
import { source } from '../declare/source.ts'
import { agenda } from './agenda.ts'
import { attendees } from './attendees.ts'
import type { OptionsB } from './options.ts'
import type * as resources from './resources.ts'
import { registrants, regTypes, sessions } from './resources.ts'
import { speakers } from './speakers.ts'

declare module '../declare/resource.ts' {
  interface StagingTables extends TablesOf<typeof resources> {}
}

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
