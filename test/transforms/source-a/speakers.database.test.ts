import { describe, expect, test } from 'vitest'
import { transformA } from '../../../transforms/source-a/index.ts'
import { judges, reasonsOf, useJudge, useTransform } from '../../support/decide.ts'
import { engines } from '../../support/engines.ts'
import { runId, type StagedRows } from '../../support/staged.ts'
import { DEFAULTS } from './options.ts'

type User = Omit<NonNullable<StagedRows['staging.a_users']>[number], 'source_id'>

const NAMED = { first_name: 'Ada', last_name: 'Lovelace' } as const
const SPEAKING = { ...NAMED, speaking_at: ['S1'] } as const

/** A user whose id is the source's. */
const usersOf = (users: readonly (readonly [string, User, ...unknown[]])[]) => [
  ...users.map(([source_id, user]) => ({ source_id, id: source_id, ...user })),
  { source_id: 'other', id: 'other', integration_id: 'expo', ...SPEAKING },
  { source_id: 'gone', id: 'gone', valid_to_run: runId(2), ...SPEAKING },
]

const SESSIONS: StagedRows = {
  'staging.a_sessions': [
    { source_id: 'hidden', enabled: false, speaker_ids: ['named by a hidden session'] },
    { source_id: 'gone', valid_to_run: runId(2), speaker_ids: ['named by a session that is gone'] },
    { source_id: 'S1', integration_id: 'expo', speaker_ids: ['named elsewhere'] },
  ],
}

/** Each user with the reason that counts, of those that would apply; null: it is synced. */
const USERS: readonly (readonly [string, User, string | null])[] = [
  ['says to speak', SPEAKING, null],
  ['named by a hidden session', NAMED, null],
  ['named by a session that is gone', NAMED, 'not_a_speaker'],
  ['named elsewhere', NAMED, 'not_a_speaker'],
  ['has the role only', { ...NAMED, has_speaker_role: true }, 'not_a_speaker'],
  ['nobody', { id: null, is_pending: true }, 'not_a_speaker'],
  ['pending, and lacks everything', { id: null, speaking_at: ['S1'], is_pending: true }, 'not_published'],
  ['pending', { ...SPEAKING, is_pending: true }, 'not_published'],
  ['lacks names and id', { id: null, speaking_at: ['S1'] }, 'missing_required:firstName'],
  [
    'lacks last name and id',
    { id: null, first_name: 'Ada', speaking_at: ['S1'] },
    'missing_required:lastName',
  ],
  ['lacks the first name', { last_name: 'Lovelace', speaking_at: ['S1'] }, 'missing_required:firstName'],
  ['ada@example.org', { ...SPEAKING, id: null }, 'missing_required:uniqueId'],
]

describe.each(judges)('verdicts on %s', (judge) => {
  const decisions = useJudge(judge, transformA, 'speakers')

  test('of the reasons that apply the first in the order of the rules counts; rows of others and of before are nobody’s', async () => {
    const found = await decisions({ ...SESSIONS, 'staging.a_users': usersOf(USERS) }, DEFAULTS)
    expect(reasonsOf(found)).toEqual(Object.fromEntries(USERS.map(([id, , reason]) => [id, reason])))
  })

  test('the unique ID is the id, and none where the e-mail address is in', async () => {
    const users = usersOf([
      ['007', SPEAKING],
      ['ada@example.org', { ...SPEAKING, id: null }],
      ['99999999999999999', NAMED],
    ])
    expect(await decisions({ 'staging.a_users': users }, DEFAULTS)).toEqual({
      '007': { uniqueId: '007', reason: null },
      'ada@example.org': { uniqueId: null, reason: 'missing_required:uniqueId' },
      '99999999999999999': { uniqueId: '99999999999999999', reason: 'not_a_speaker' },
    })
  })

  test.each([
    ['listed', [null, null, 'not_a_speaker', null, 'not_a_speaker']],
    ['role', ['not_a_speaker', 'not_a_speaker', null, null, 'not_a_speaker']],
    ['both', ['not_a_speaker', 'not_a_speaker', 'not_a_speaker', null, 'not_a_speaker']],
  ] as const)('with speakers: %s', async (speakers, [speaking, named, role, both, neither]) => {
    const users = usersOf([
      ['speaking', SPEAKING],
      ['named by a hidden session', NAMED],
      ['role', { ...NAMED, has_speaker_role: true }],
      ['both', { ...SPEAKING, has_speaker_role: true }],
      ['neither', NAMED],
    ])
    const found = await decisions({ ...SESSIONS, 'staging.a_users': users }, { ...DEFAULTS, speakers })
    expect(reasonsOf(found)).toEqual({ speaking, 'named by a hidden session': named, role, both, neither })
  })
})

describe.each(engines)('items on %s', (engine) => {
  const transform = useTransform(engine, transformA)

  const SLOT = { start_time: '2031-05-04T13:00:00Z', end_time: '2031-05-04T14:00:00Z' } as const
  const session = (source_id: string, speaker_ids: readonly string[] = []) =>
    ({ source_id, title: 'x', time_slot_id: 'slot', speaker_ids }) as const
  /** Sessions that are synced, but for one without a title. */
  const AGENDA: StagedRows = {
    'staging.a_sessions': [
      session('Z', ['7']),
      session('a'),
      session('é', ['7', 'other']),
      session('～'),
      session('😀'),
      { ...session('untitled', ['7']), title: null },
    ],
    'staging.a_time_slots': [
      { source_id: 'slot', ...SLOT, start_time_status: 'read', end_time_status: 'read' },
    ],
  }
  const EMAIL = { email_address: 'Ada@Example.org' }

  test('every field of spec 2.3 [spec 2.3.7, spec 2.3.8, spec 2.3.11]', async () => {
    const user: User = {
      ...NAMED,
      ...EMAIL,
      title: 'Countess',
      company: 'Analytical; Engines',
      biography: '<p>…</p>',
      photo_link: 'https://img.example/ada.png',
      facebook_url: 'https://www.facebook.com/ada',
      linkedin_url: 'https://www.linkedin.com/in/ada',
      speaking_at: ['a'],
    }
    const { items, details } = await transform(
      { ...AGENDA, 'staging.a_users': usersOf([['7', user]]) },
      DEFAULTS,
    )
    expect(items.speakers).toEqual({
      7: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        title: 'Countess',
        company: 'Analytical; Engines',
        description: '<p>…</p>',
        imageUrl: 'https://img.example/ada.png',
        sessionIds: ['Z', 'a', 'é'],
        attendeeId: '7',
        facebookUrl: 'https://www.facebook.com/ada',
        linkedinUrl: 'https://www.linkedin.com/in/ada',
      },
    })
    // The session without a title names this speaker.
    expect(details.speakers).toEqual({ 7: 'not_synced:sessionIds=1' })
  })

  test('what has no value is left out; an attendee that is not synced is no link, and is counted', async () => {
    const users = usersOf([['other', { ...NAMED, speaking_at: ['nowhere'] }]])
    const { items, details } = await transform({ 'staging.a_users': users }, DEFAULTS)
    expect(items.speakers).toEqual({ other: { firstName: 'Ada', lastName: 'Lovelace' } })
    expect(details.speakers).toEqual({ other: 'not_synced:attendeeId=1; not_synced:sessionIds=1' })
  })

  test('sessions are those of both sides, each once, in the order of their bytes [R68]', async () => {
    const speaking_at = ['～', '😀', 'é', 'a']
    const users = usersOf([['7', { ...NAMED, ...EMAIL, speaking_at }]])
    const { items, details } = await transform({ ...AGENDA, 'staging.a_users': users }, DEFAULTS)
    expect(items.speakers['7']?.sessionIds).toEqual(['Z', 'a', 'é', '～', '😀'])
    expect(details.speakers['7']).toBe('not_synced:sessionIds=1')
  })

  test('references to contents of others stand as given [R68, R69]', async () => {
    const users = usersOf([['7', { ...NAMED, speaking_at: ['nowhere'] }]])
    const rows = { ...AGENDA, 'staging.a_users': users }
    const alone = await transform(rows, DEFAULTS, ['speakers'])
    expect(alone.items.speakers['7']).toMatchObject({
      sessionIds: ['Z', 'nowhere', 'untitled', 'é'],
      attendeeId: '7',
    })
    expect(alone.details.speakers['7']).toBe('')
    const withAgenda = await transform(rows, DEFAULTS, ['agenda', 'speakers'])
    expect(withAgenda.items.speakers['7']).toMatchObject({ sessionIds: ['Z', 'é'], attendeeId: '7' })
    expect(withAgenda.details.speakers['7']).toBe('not_synced:sessionIds=2')
  })

  test('marks are those of the speaker’s fields; nothing is counted for who is no speaker', async () => {
    const marks = [
      'left_out:photo_link',
      'left_out:facebook_url',
      'left_out:linkedin_url',
      'left_out:speaking_at',
      'not_text:biography',
      'not_text:email_address',
      'unsupported_character:source_id',
      'unsupported_character:company',
    ]
    const users = usersOf([
      ['7', { ...NAMED, ...EMAIL, speaking_at: ['a'], marks }],
      ['silent', { ...NAMED, marks: ['not_text:title'] }],
      ['nameless', { speaking_at: ['nowhere'] }],
    ])
    const { details } = await transform({ 'staging.a_users': users }, DEFAULTS, ['speakers', 'attendees'])
    expect(details.speakers).toEqual({
      7: [
        'left_out:facebookUrl',
        'left_out:imageUrl',
        'left_out:linkedinUrl',
        'left_out:sessionIds',
        'not_text:description',
        'unsupported_character:company',
        'unsupported_character:uniqueId',
      ].join('; '),
      silent: 'not_text:title',
      nameless: '',
    })
  })
})
