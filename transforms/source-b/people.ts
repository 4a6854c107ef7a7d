import type { SourcePeople } from '../source-people.ts'
import type { OptionsB } from './options.ts'

/** Registrants. Source: spec 2.7, 2.8; spec-gaps, "Keys". */
export const peopleOfB: SourcePeople<Pick<OptionsB, 'fields'>, 'staging.b_registrants'> = {
  resource: 'registrants',
  table: 'staging.b_registrants',
  address: 'email',
  ownId: null,
  plain: ['source_id', 'reg_type_id', 'session_ids', 'cancelled_at'],
  erased: {
    first_name: null,
    last_name: null,
    email: null,
    job_title: null,
    company: null,
    bio: null,
    mobile_phone: null,
    twitter_handle: null,
    reg_type_id: null,
    reg_type_value: null,
    reg_type_folded: null,
    session_ids: [],
    cancelled_at: null,
  },
  shape: (options) => ({
    ids: new Set(['id']),
    lists: new Set(['registrants', 'registrant_ids']),
    addresses: new Set(['email', ...(options === null ? [] : [options.fields.email])]),
    foldsKeys: false,
  }),
}
