import type { SourcePeople } from '../source-people.ts'

/** Users. Source: spec-gaps, "Sessions", "Users", "Keys". */
export const peopleOfA: SourcePeople<unknown, 'staging.a_users'> = {
  resource: 'users',
  table: 'staging.a_users',
  address: 'email_address',
  ownId: 'id',
  plain: ['source_id', 'has_speaker_role', 'is_pending', 'speaking_at'],
  erased: {
    id: null,
    first_name: null,
    last_name: null,
    email_address: null,
    title: null,
    company: null,
    biography: null,
    photo_link: null,
    facebook_url: null,
    linkedin_url: null,
    has_speaker_role: false,
    is_pending: null,
    speaking_at: [],
  },
  shape: () => ({
    ids: new Set(['id']),
    lists: new Set(['speakers', 'speakerorder']),
    addresses: new Set(['emailaddress', 'email']),
    foldsKeys: true,
  }),
}
