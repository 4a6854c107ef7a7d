import { expect, test } from 'vitest'
import type { Content } from '../../sql/tables.ts'
import type { SourceTransform } from '../../transforms/declare/source.ts'
import { foldTitle } from '../../transforms/rules/one-to-one.ts'
import { transformA } from '../../transforms/source-a/index.ts'
import { transformB } from '../../transforms/source-b/index.ts'
import { openMemory } from '../support/memory.ts'
import { INTEGRATION, insertStaged, runId, type StagedRows } from '../support/staged.ts'
import { DEFAULTS as OPTIONS_OF_A } from './source-a/options.ts'
import { DEFAULTS as OPTIONS_OF_B } from './source-b/options.ts'

/**
 * Makes the decisions about staged records with joins and filters only, because pg-mem can run only these.
 */
async function decide<Options>(
  transform: SourceTransform<Options>,
  content: Content,
  rows: StagedRows,
  options: Options,
) {
  const memory = openMemory()
  await insertStaged(memory, rows)
  const made = transform.contents.find((one) => one.content === content)
  if (made === undefined) throw new Error(`the source has no ${content}`)
  const scope = { integrationId: INTEGRATION, contents: [content], options }
  const decisions = await memory.selectFrom(made.decisions(memory, scope).as('made')).selectAll().execute()
  return Object.fromEntries(decisions.map(({ source_id, reason }) => [source_id, reason]))
}

const ADA = { first_name: 'Ada', last_name: 'Lovelace' }

test('attendees of Source B get the first reason that applies; rows of other integrations and earlier versions are ignored', async () => {
  const good = { ...ADA, email: 'ada@people.example' }
  const found = await decide(
    transformB,
    'attendees',
    {
      'staging.b_registrants': [
        { source_id: 'all there is to say', ...good },
        { source_id: 'cancelled, and lacks everything', cancelled_at: '2031-01-01 00:00:00' },
        { source_id: 'lacks everything' },
        { source_id: 'lacks the address', ...ADA },
        { source_id: 'of another', integration_id: 'expo', ...good },
        { source_id: 'of before', valid_to_run: runId(2), ...good },
      ],
    },
    OPTIONS_OF_B,
  )
  expect(found).toEqual({
    'all there is to say': null,
    'cancelled, and lacks everything': 'cancelled',
    'lacks everything': 'missing_required:firstName',
    'lacks the address': 'missing_required:emailAddress',
  })
})

test('attendees of Source A get the first missing field as the reason', async () => {
  const found = await decide(
    transformA,
    'attendees',
    {
      'staging.a_users': [
        { source_id: 'all there is to say', ...ADA, email_address: 'ada@people.example' },
        { source_id: 'lacks everything' },
        { source_id: 'lacks two', first_name: 'Ada' },
        { source_id: 'lacks the address', ...ADA },
      ],
    },
    OPTIONS_OF_A,
  )
  expect(found).toEqual({
    'all there is to say': null,
    'lacks everything': 'missing_required:firstName',
    'lacks two': 'missing_required:lastName',
    'lacks the address': 'missing_required:emailAddress',
  })
})

const at = (hour: number) => new Date(Date.UTC(2031, 4, 4, hour)).toISOString()
const read = { start_time_status: 'read', end_time_status: 'read' } as const
const TIMES = { start_time: at(9), end_time: at(10), ...read }

test('agenda items of Source A get the times of their slot and the title of their session type', async () => {
  const good = { title: 'Opening', time_slot_id: 'good' }
  const found = await decide(
    transformA,
    'agenda',
    {
      'staging.a_sessions': [
        { source_id: 'all there is to say', ...good },
        { source_id: 'hidden', ...good, enabled: false },
        { source_id: 'not for all', ...good, visible_to_anonymous_users: false },
        { source_id: 'a meeting', ...good, session_type_id: 'meeting' },
        { source_id: 'lacks the name', time_slot_id: 'good' },
        { source_id: 'lacks the slot', title: 'Opening', time_slot_id: 'none' },
        { source_id: 'ends before it starts', ...good, time_slot_id: 'turned' },
        { source_id: 'cannot be read', ...good, time_slot_id: 'unread' },
      ],
      'staging.a_time_slots': [
        { source_id: 'good', ...TIMES },
        { source_id: 'turned', ...TIMES, end_time: at(8) },
        { source_id: 'unread', ...TIMES, start_time: null, start_time_status: 'unreadable' },
      ],
      'staging.a_session_types': [
        { source_id: 'meeting', title: '1:1 Meeting', title_folded: foldTitle('1:1 Meeting') },
      ],
    },
    OPTIONS_OF_A,
  )
  expect(found).toEqual({
    'all there is to say': null,
    hidden: 'not_published',
    'not for all': 'not_published',
    'a meeting': 'one_to_one_meeting',
    'lacks the name': 'missing_required:name',
    'lacks the slot': 'missing_required:startTime',
    'ends before it starts': 'bad_time',
    'cannot be read': 'bad_time',
  })
})

test('speakers of Source A are decided by their role only, because pg-mem does not support a table within unnest', async () => {
  const good = { ...ADA, has_speaker_role: true }
  const found = await decide(
    transformA,
    'speakers',
    {
      'staging.a_users': [
        { source_id: 'all there is to say', id: '1', ...good },
        { source_id: 'no speaker', id: '2', ...ADA },
        { source_id: 'pending', id: '3', ...good, is_pending: true },
        { source_id: 'lacks the id', ...good },
        { source_id: 'lacks the last name', id: '4', first_name: 'Ada', has_speaker_role: true },
      ],
    },
    { ...OPTIONS_OF_A, speakers: 'role' },
  )
  expect(found).toEqual({
    'all there is to say': null,
    'no speaker': 'not_a_speaker',
    pending: 'not_published',
    'lacks the id': 'missing_required:uniqueId',
    'lacks the last name': 'missing_required:lastName',
  })
})

test('agenda items of Source B get the first reason that applies', async () => {
  const good = { name: 'Opening', ...TIMES }
  const found = await decide(
    transformB,
    'agenda',
    {
      'staging.b_sessions': [
        { source_id: 'all there is to say', ...good },
        { source_id: 'lacks the name', ...TIMES },
        { source_id: 'lacks the start', ...good, start_time: null, start_time_status: 'absent' },
        { source_id: 'ends as it starts', ...good, end_time: at(9) },
        { source_id: 'cannot be read', ...good, end_time: null, end_time_status: 'unreadable' },
      ],
    },
    OPTIONS_OF_B,
  )
  expect(found).toEqual({
    'all there is to say': null,
    'lacks the name': 'missing_required:name',
    'lacks the start': 'missing_required:startTime',
    'ends as it starts': 'bad_time',
    'cannot be read': 'bad_time',
  })
})

test('speakers of Source B get the name of their registrant type', async () => {
  const good = { ...ADA, reg_type_value: 'Speaker', reg_type_folded: 'speaker' }
  const found = await decide(
    transformB,
    'speakers',
    {
      'staging.b_registrants': [
        { source_id: 'all there is to say', ...good },
        { source_id: 'no speaker', ...ADA },
        { source_id: 'cancelled', ...good, cancelled_at: '2031-01-01 00:00:00' },
        { source_id: 'lacks the first name', ...good, first_name: null },
      ],
    },
    { ...OPTIONS_OF_B, cancelledSpeakers: 'exclude' },
  )
  expect(found).toEqual({
    'all there is to say': null,
    'no speaker': 'not_a_speaker',
    cancelled: 'cancelled',
    'lacks the first name': 'missing_required:firstName',
  })
})
