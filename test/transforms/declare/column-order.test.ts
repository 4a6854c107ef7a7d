import { expect, test } from 'vitest'
import { TRANSFORMS } from '../../../transforms/decide/platform-fields.ts'

test('the columns of each table must keep this order, because it is part of the hash of every version', () => {
  const tables = Object.values(TRANSFORMS).flatMap(({ resources }) =>
    resources.map(({ table, columns }) => `${table}: ${Object.keys(columns).join(' ')}`),
  )
  expect(tables).toEqual([
    'staging.a_sessions: title description enabled visible_to_anonymous_users status time_slot_id room_id track_id session_type_id speaker_ids link_urls',
    'staging.a_time_slots: start_time start_time_status end_time end_time_status',
    'staging.a_rooms: name location',
    'staging.a_tracks: title',
    'staging.a_session_types: title title_folded',
    'staging.a_users: id first_name last_name email_address title company biography photo_link facebook_url linkedin_url has_speaker_role is_pending speaking_at',
    'staging.b_sessions: name description start_time start_time_status end_time end_time_status time_zone',
    'staging.b_registrants: first_name last_name email job_title company bio mobile_phone twitter_handle reg_type_id reg_type_value reg_type_folded session_ids cancelled_at',
    'staging.b_reg_types: name name_folded',
  ])
})
