import { describe, expect, test } from 'vitest'
import { transformA } from '../../../transforms/source-a/index.ts'
import { judges, type Reasons, reasonsOf, useJudge, useTransform } from '../../support/decide.ts'
import { engines } from '../../support/engines.ts'
import { runId, type StagedRows } from '../../support/staged.ts'
import { DEFAULTS } from './options.ts'

type Session = Omit<NonNullable<StagedRows['staging.a_sessions']>[number], 'source_id'>

const NINE = { start_time: '2031-05-04T13:00:00Z', start_time_status: 'read' } as const
const TEN = { end_time: '2031-05-04T14:00:00Z', end_time_status: 'read' } as const

// Neither the version of before nor what another integration has under the same id is joined.
const NOT_JOINED = [{ valid_from_run: runId(0), valid_to_run: runId(1) }, { integration_id: 'expo' }]

/** Time slots by what is special about them, and one of every other lookup. */
const LOOKUPS: StagedRows = {
  'staging.a_time_slots': [
    { source_id: 'slot', ...NINE, ...TEN },
    { source_id: 'no end', ...NINE },
    { source_id: 'bad start', start_time_status: 'unreadable', ...TEN },
    { source_id: 'bad end', ...NINE, end_time_status: 'unreadable' },
    { source_id: 'bad start, no end', start_time_status: 'unreadable' },
    { source_id: 'no start, bad end', end_time_status: 'unreadable' },
    { source_id: 'no length', ...NINE, end_time: '2031-05-04T13:00:00Z', end_time_status: 'read' },
    { source_id: 'backwards', ...NINE, end_time: '2031-05-04T12:59:59Z', end_time_status: 'read' },
    { source_id: 'twice', ...NINE, start_time_status: 'ambiguous', ...TEN, end_time_status: 'ambiguous' },
    { source_id: 'of another', integration_id: 'expo', ...NINE, ...TEN },
    { source_id: 'of before', valid_to_run: runId(2), ...NINE, ...TEN },
  ],
  'staging.a_rooms': [
    { source_id: 'room', location: 'North wing', name: 'Hall 1' },
    ...NOT_JOINED.map((other) => ({ source_id: 'room', name: 'Hall 0', ...other })),
    { source_id: 'location only', location: 'North wing' },
    { source_id: 'name only', name: 'Hall 1' },
    { source_id: 'same', location: 'Hall 1', name: 'Hall 1' },
    { source_id: 'same but for the case', location: 'hall 1', name: 'Hall 1' },
    { source_id: 'nothing' },
    { source_id: 'marked', name: 'Hall 1', marks: ['not_text:location', 'not_text:name'] },
  ],
  'staging.a_tracks': [
    { source_id: 'track', title: 'Data' },
    ...NOT_JOINED.map((other) => ({ source_id: 'track', title: 'Old', ...other })),
    { source_id: 'untitled', marks: ['not_text:title'] },
  ],
  'staging.a_session_types': [
    { source_id: 'talk', title: 'Talk', title_folded: 'talk' },
    ...NOT_JOINED.map((other) => ({ source_id: 'talk', title: 'Old', title_folded: 'old', ...other })),
    { source_id: 'meeting', title: '1:1 Meeting', title_folded: '1:1 meeting' },
    { source_id: 'greeting', title: 'Meet & Greet', title_folded: 'meet & greet' },
    { source_id: 'untitled', marks: ['unsupported_character:title'] },
  ],
}

const GOOD: Session = { title: 'Opening', time_slot_id: 'slot' }

/** Each session with the reason that counts, of the many that would apply; null: it is synced. */
const SESSIONS: readonly (readonly [string, Session, string | null])[] = [
  ['what is required, and no more', GOOD, null],
  [
    'all that excludes at once',
    { enabled: false, session_type_id: 'meeting', time_slot_id: 'backwards' },
    'not_published',
  ],
  ['disabled', { ...GOOD, enabled: false, visible_to_anonymous_users: true }, 'not_published'],
  ['not visible', { ...GOOD, enabled: true, visible_to_anonymous_users: false }, 'not_published'],
  ['a meeting without anything', { session_type_id: 'meeting' }, 'one_to_one_meeting'],
  ['no name, no slot', {}, 'missing_required:name'],
  ['no slot', { title: 'x' }, 'missing_required:startTime'],
  ['a slot of another integration', { title: 'x', time_slot_id: 'of another' }, 'missing_required:startTime'],
  ['a slot that is gone', { title: 'x', time_slot_id: 'of before' }, 'missing_required:startTime'],
  ['no start, bad end', { title: 'x', time_slot_id: 'no start, bad end' }, 'missing_required:startTime'],
  ['a slot without end', { title: 'x', time_slot_id: 'no end' }, 'missing_required:endTime'],
  ['bad start, no end', { title: 'x', time_slot_id: 'bad start, no end' }, 'missing_required:endTime'],
  ['a bad start', { title: 'x', time_slot_id: 'bad start' }, 'bad_time'],
  ['a bad end', { title: 'x', time_slot_id: 'bad end' }, 'bad_time'],
  ['an end at the start', { title: 'x', time_slot_id: 'no length' }, 'bad_time'],
  ['an end before the start', { title: 'x', time_slot_id: 'backwards' }, 'bad_time'],
  ['times that occur twice', { title: 'x', time_slot_id: 'twice' }, null],
  ['unknown room, track, type', { ...GOOD, room_id: '?', track_id: '?', session_type_id: '?' }, null],
]

const rowsOf = (sessions: readonly (readonly [string, Session, ...unknown[]])[]): StagedRows => ({
  ...LOOKUPS,
  'staging.a_sessions': [
    ...sessions.map(([source_id, session]) => ({ source_id, ...session })),
    ...NOT_JOINED.map((other) => ({ source_id: 'nobody’s', ...GOOD, ...other })),
  ],
})

describe.each(judges)('verdicts on %s', (judge) => {
  const decisions = useJudge(judge, transformA, 'agenda')

  test('of the reasons that apply the first in the order of the rules counts; rows of others and of before are nobody’s [R64]', async () => {
    const found = await decisions(rowsOf(SESSIONS), DEFAULTS)
    expect(reasonsOf(found)).toEqual(Object.fromEntries(SESSIONS.map(([id, , reason]) => [id, reason])))
    expect(Object.entries(found).filter(([id, { uniqueId }]) => uniqueId !== id)).toEqual([])
  })

  const some: readonly (readonly [string, Session])[] = [
    ['confirmed', { ...GOOD, status: 'Confirmed' }],
    ['rejected', { ...GOOD, status: 'Rejected' }],
    ['no status', GOOD],
    ['hidden', { ...GOOD, status: 'Accepted', enabled: false, visible_to_anonymous_users: false }],
    ['meeting', { ...GOOD, status: 'Accepted', session_type_id: 'meeting' }],
    ['greeting', { ...GOOD, status: 'Accepted', session_type_id: 'greeting' }],
  ]
  const byDefault: Reasons = {
    confirmed: null,
    rejected: null,
    'no status': null,
    hidden: 'not_published',
    meeting: 'one_to_one_meeting',
    greeting: null,
  }

  test.each([
    ['nothing is configured', {}, {}],
    [
      'only some statuses count',
      { sessionStatuses: ['Accepted', 'Confirmed'] },
      { rejected: 'not_published', 'no status': 'not_published' },
    ],
    [
      'hidden sessions count, if their status does',
      { includeHidden: true, sessionStatuses: ['Confirmed'] },
      {
        rejected: 'not_published',
        'no status': 'not_published',
        hidden: 'not_published',
        meeting: 'not_published',
        greeting: 'not_published',
      },
    ],
    [
      'other types are 1:1 meetings, whatever their case',
      { oneToOneTypes: [' MEET & greet '] },
      { meeting: null, greeting: 'one_to_one_meeting' },
    ],
  ])('where %s', async (_, options, others) => {
    const found = await decisions(rowsOf(some), { ...DEFAULTS, ...options })
    expect(reasonsOf(found)).toEqual({ ...byDefault, ...others })
  })
})

describe.each(engines)('items on %s', (engine) => {
  const transform = useTransform(engine, transformA)

  /** Two speakers and one who lacks a name. */
  const USERS: StagedRows = {
    'staging.a_users': ['u1', 'ü', '😀', 'nameless'].map((id) => ({
      source_id: id,
      id,
      first_name: id === 'nameless' ? null : 'Ada',
      last_name: 'Lovelace',
      speaking_at: ['any'],
    })),
  }
  const item = async (session: Session, options = {}) => {
    const { items, details } = await transform(
      { ...rowsOf([['7', session]]), ...USERS },
      { ...DEFAULTS, ...options },
    )
    return { fields: items.agenda['7'], detail: details.agenda['7'] }
  }
  const TIMES = { startTime: '2031-05-04T13:00:00Z', endTime: '2031-05-04T14:00:00Z' }

  test('every field of spec 2.2 [spec 2.2.8, spec 2.2.9, spec 2.2.11]', async () => {
    expect(
      await item({
        title: '<b>Opening</b> "now"',
        description: '<p>Line 1\r\nline 2</p>',
        time_slot_id: 'slot',
        room_id: 'room',
        track_id: 'track',
        session_type_id: 'talk',
        speaker_ids: ['ü', '😀', 'u1'],
        link_urls: ['https://z.example/', 'https://a.example/'],
      }),
    ).toEqual({
      fields: {
        name: '<b>Opening</b> "now"',
        ...TIMES,
        description: '<p>Line 1\r\nline 2</p>',
        location: 'North wing - Hall 1',
        sessionTracks: ['Data'],
        filterGroup: 'Types',
        subFilters: ['Talk'],
        speakerIds: ['ü', '😀', 'u1'],
        linkUrls: ['https://z.example/', 'https://a.example/'],
      },
      detail: '',
    })
  })

  test.each([
    ['name only', 'Hall 1'],
    ['same', 'Hall 1'],
    ['same but for the case', 'hall 1 - Hall 1'],
    ['nothing', undefined],
  ])('the location of a room with %s', async (room, location) => {
    expect((await item({ ...GOOD, room_id: room })).fields?.location).toBe(location)
  })

  test('location and name are joined as configured', async () => {
    const { fields } = await item({ ...GOOD, room_id: 'room' }, { locationSeparator: ", 'x' " })
    expect(fields?.location).toBe("North wing, 'x' Hall 1")
  })

  test('a type or track without title gives no filter and no track', async () => {
    const { fields, detail } = await item({ ...GOOD, session_type_id: 'untitled', track_id: 'untitled' })
    expect(fields).toEqual({ name: 'Opening', ...TIMES })
    expect(detail).toBe('not_text:sessionTracks; unsupported_character:subFilters')
  })

  test('speakers that are not synced are left out and counted [R33, R68]', async () => {
    const { fields, detail } = await item({ ...GOOD, speaker_ids: ['nameless', 'u1', 'nobody', '😀'] })
    expect(fields?.speakerIds).toEqual(['u1', '😀'])
    expect(detail).toBe('not_synced:speakerIds=2')
    const none = await item({ ...GOOD, speaker_ids: ['nobody'] })
    expect(none.fields).not.toHaveProperty('speakerIds')
    expect(none.detail).toBe('not_synced:speakerIds=1')
  })

  test('where speakers are not synced by this integration, references to them stand as given', async () => {
    const rows = { ...rowsOf([['7', { ...GOOD, speaker_ids: ['nobody', 'u1', 'nameless'] }]]), ...USERS }
    const { items, details, decisions } = await transform(rows, DEFAULTS, ['agenda', 'attendees'])
    expect(items.agenda['7']?.speakerIds).toEqual(['nobody', 'u1', 'nameless'])
    expect(details.agenda['7']).toBe('')
    expect(new Set(decisions.map(({ content }) => content))).toEqual(new Set(['agenda', 'attendees']))
  })

  test('marks are those of the platform’s fields, in byte order, each once', async () => {
    const { detail } = await item({
      title: 'x',
      time_slot_id: 'twice',
      room_id: 'marked',
      track_id: '?',
      session_type_id: '?',
      speaker_ids: ['nobody'],
      marks: [
        'unsupported_character:title',
        'not_text:description',
        'left_out:link_urls',
        'unsupported_character:source_id',
        'left_out:speaker_ids',
        'not_text:status',
      ],
    })
    expect(detail).toBe(
      [
        'ambiguous_time:endTime',
        'ambiguous_time:startTime',
        'dangling_reference:sessionTracks',
        'dangling_reference:subFilters',
        'left_out:linkUrls',
        'left_out:speakerIds',
        'not_synced:speakerIds=1',
        'not_text:description',
        'not_text:location',
        'unsupported_character:name',
        'unsupported_character:uniqueId',
      ].join('; '),
    )
    const excluded = {
      time_slot_id: 'slot',
      room_id: '?',
      speaker_ids: ['nobody'],
      marks: ['not_text:title'],
    }
    expect(await item(excluded)).toEqual({
      fields: undefined,
      detail: 'dangling_reference:location; not_text:name',
    })
  })

  test('times are UTC with four digits of the year', async () => {
    const first = { source_id: 'first', start_time: '0001-01-01T00:00:00Z', end_time: '9999-12-31T23:59:59Z' }
    const { items } = await transform(
      {
        'staging.a_sessions': [{ source_id: '7', title: 'x', time_slot_id: 'first' }],
        'staging.a_time_slots': [{ ...first, start_time_status: 'read', end_time_status: 'read' }],
      },
      DEFAULTS,
    )
    expect(items.agenda['7']).toEqual({
      name: 'x',
      startTime: '0001-01-01T00:00:00Z',
      endTime: '9999-12-31T23:59:59Z',
    })
  })
})
