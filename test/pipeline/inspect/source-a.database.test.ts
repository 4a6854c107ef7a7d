import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeExplanation } from '../../../pipeline/commands/explain.ts'
import type { Content } from '../../../sql/tables.ts'
import type { Resources } from '../../harness/serve-records.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import { aSession, aUser, SLOT_0 } from '../../traps/traps-of-a.ts'
import { type ServedIntegration, serveIntegration } from '../guarded-integration.ts'
import { fieldOf, listExcluded, placesOf, whyExcluded } from './story.ts'

const OPENING = aSession('s1', {
  Title: 'Opening',
  RoomId: 'r1',
  TrackId: 'k1',
  SessionTypeId: 'y1',
  Speakers: [
    { Id: 'u1', FirstName: 'Canary' },
    { Id: 'u2', FirstName: 'Canary' },
    { Id: 'u9', FirstName: 'Canary' },
  ],
})

/** An event with one record for each result that an explanation can have. */
const EVENT: Resources = {
  TimeSlots: [
    SLOT_0,
    { Id: 'no end', StartTime: '2031-05-04T10:30:00Z' },
    { Id: 'bad', StartTime: '9 AM', EndTime: '2031-05-04T10:30:00Z' },
    { Id: 'backwards', StartTime: '2031-05-04T10:30:00Z', EndTime: '2031-05-04T09:30:00Z' },
  ],
  Rooms: [{ Id: 'r1', Location: 'North wing', Name: 'Hall 1' }],
  Tracks: [{ Id: 'k1', Title: 'Data' }],
  SessionTypes: [
    { Id: 'y1', Name: 'Workshop' },
    { Id: 'meeting', Title: '1:1 Meeting' },
  ],
  Sessions: [
    OPENING,
    aSession('hidden', { Enabled: false, VisibleToAnonymousUsers: true, Speakers: [{ Id: 'u1' }] }),
    aSession('meeting', { SessionTypeId: 'meeting' }),
    aSession('no title', { Title: ' ' }),
    aSession('slot gone', { TimeSlotId: '?' }),
    aSession('no end', { TimeSlotId: 'no end' }),
    aSession('bad', { TimeSlotId: 'bad' }),
    aSession('backwards', { TimeSlotId: 'backwards' }),
    aSession('room gone', { RoomId: '404' }),
    { Title: 'No id' },
  ],
  Users: [
    aUser('u1', { Title: 'Canary title', SpeakingAt: [{ Id: 's1' }], Facebook: 'not a handle!' }),
    aUser('u2', { LastName: ['Canary'] }),
    aUser('u3', { IsPending: true, SpeakingAt: [{ Id: 's1' }] }),
    aUser('u4', { EmailAddress: null }),
    aUser('twice', { FirstName: 'Canary earlier' }),
    aUser('twice'),
    { FirstName: 'Canary', LastName: 'Canary', EmailAddress: 'canary@people.example', SpeakingAt: ['s1'] },
    { FirstName: 'Canary', LastName: 'Canary', EmailAddress: 'Canary at example', SpeakingAt: [] },
  ],
}

/**
 * The expected explanations of excluded items, each with its reason, its sentence, and the values that
 * decided.
 */
const EXCLUDED = `agenda/hidden: not_published
  The session is not published: Enabled is false.
  sessions hidden $.Enabled: false
agenda/meeting: one_to_one_meeting
  Its type is that of 1:1 meetings, which are not synced (spec 1.4).
  sessions meeting $.SessionTypeId: "meeting"
  session_types meeting $.Title: "1:1 Meeting"
  session_types meeting $.Name: absent
agenda/no title: missing_required:name
  A session needs a name, and this one has no title.
  sessions no title $.Title: blank
agenda/slot gone: missing_required:startTime
  A session needs a time, and the time slot that this one names is not at the source.
  sessions slot gone $.TimeSlotId: "?"
agenda/no end: missing_required:endTime
  The time slot of the session has no end.
  sessions no end $.TimeSlotId: "no end"
  time_slots no end $.EndTime: absent
speakers/u2: missing_required:lastName
  The last name is required, and the source has none.
  users u2 $.LastName: "(hidden)"
speakers/u4: not_a_speaker
  The user names no session in SpeakingAt, and no session that was read names the user in Speakers; 1:1 meetings do not count.
  users u4 $.SpeakingAt: empty
speakers/canary@people.example: missing_required:uniqueId
  A speaker needs an id, and the source gives this user none; only attendees can use the e-mail address instead.
  users (hidden) $.Id: absent
`

const ANONYMOUS =
  'Fill it in at the source; if it is filled in, set it to View for Anonymous (Admin → Users → Profile Fields).'

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const setup = { source: { type: 'a' } } as const

  /** An integration that has run once. Only tests that change nothing use this integration. */
  let asked: ServedIntegration
  let first: string | null
  const ends: (() => void | Promise<void>)[] = []
  beforeAll(async () => {
    asked = await serveIntegration(database(), setup, EVENT, (end) => ends.push(end))
    await expect(asked.explain('agenda', 's1')).rejects.toThrow(
      `${asked.id}: nothing has been read yet; run \`event-sync run ${asked.id}\` first`,
    )
    first = (await asked.run()).report.run
  })
  afterAll(() => Promise.all(ends.map((end) => end())))

  test('every field of a session is explained with its records, paths, rule and runs', async () => {
    const explained = await asked.explain('agenda', 's1')
    expect(explained).toMatchObject({
      integration: asked.id,
      content: 'agenda',
      uniqueId: 's1',
      standing: 'synced',
      lastRead: { run: first, status: 'finished' },
      record: { resource: 'sessions', sourceId: 's1', since: { run: first }, goneSince: null },
      why: null,
      marks: [{ mark: 'not_synced:speakerIds=2', field: 'speakerIds' }],
      platform: { has: true, asDesired: true, sentBy: { run: first }, removed: null },
      notes: [],
    })
    const from = Object.fromEntries(
      explained.fields.map(({ field, value, from }) => [field, [value, ...placesOf(from)]]),
    )
    expect(from).toMatchObject({
      startTime: [
        '2031-05-04T09:30:00Z',
        'sessions s1 $.TimeSlotId: "t0"',
        'time_slots t0 $.StartTime: "2031-05-04T09:30:00Z"',
      ],
      location: [
        'North wing - Hall 1',
        'sessions s1 $.RoomId: "r1"',
        'rooms r1 $.Location: "North wing"',
        'rooms r1 $.Name: "Hall 1"',
      ],
      subFilters: [
        ['Workshop'],
        'sessions s1 $.SessionTypeId: "y1"',
        'session_types y1 $.Title: absent',
        'session_types y1 $.Name: "Workshop"',
      ],
      speakerIds: [['u1'], 'sessions s1 $.Speakers: list', 'sessions s1 $.SpeakerOrder: absent'],
    })
    const named = [{ resource: 'sessions', sourceId: 's1', path: '$.Speakers' }]
    const people = { content: 'speakers', resource: 'users', named }
    expect(fieldOf(explained, 'speakerIds').references).toEqual([
      { id: 'u1', ...people, isKept: true, reason: null },
      { id: 'u2', ...people, isKept: false, reason: 'missing_required:lastName' },
      { id: 'u9', ...people, isKept: false, reason: 'not at the source' },
    ])
    expect(fieldOf(explained, 'linkUrls').absent).toBe('the source has no value')
    for (const { value, firstRun, lastRun, before } of explained.fields) {
      const run = value === null ? undefined : first
      expect([firstRun?.run, lastRun?.run, before]).toEqual([run, run, null])
    }
  })

  test('a person without an id is found by any spelling of the e-mail address [R42]', async () => {
    const { standing, uniqueId } = await asked.explain('attendees', ' Canary@People.Example')
    expect([standing, uniqueId]).toEqual(['synced', '(hidden)'])
  })

  test('custom fields are explained in byte order; the explanation says if a path leads to a list, and hides people in the list', async () => {
    const fields = { agenda: { who: 'Speakers.Id', talks: { from: 'LINKS', as: 'list' }, aB: 'Title' } }
    const story = await serveIntegration(database(), { ...setup, fields }, EVENT)
    await story.run()
    const { fields: explained } = await story.explain('agenda', 's1')
    const custom = explained.slice(-3).map(({ field, absent, from }) => [field, absent, ...placesOf(from)])
    const leftOut = 'a value, or an element of a list, cannot be used and is left out'
    expect(custom).toEqual([
      ['custom.aB', undefined, 'sessions s1 $.Title: "Opening"'],
      ['custom.talks', 'the source has no value', 'sessions s1 $.LINKS: absent'],
      ['custom.who', leftOut, 'sessions s1 $.Speakers: "(hidden)"'],
    ])
    const shown = await story.explain('agenda', 's1', true)
    expect(placesOf(fieldOf(shown, 'custom.who').from).join()).toContain('"FirstName":"Canary"')
  })

  test('if a record has several spellings of a key, the explanation shows the one that was read', async () => {
    const fields = {
      agenda: {
        text: 'LEVEL',
        number: { from: 'Level', as: 'number' },
        deep: 'extra.level',
        list: 'Tags.a',
        none: 'more.level',
        huge: 'Huge',
      },
    }
    const story = await serveIntegration(
      database(),
      { ...setup, fields },
      {
        ...EVENT,
        Sessions: [
          aSession('s1', {
            level: '1E2',
            Level: 'upper',
            extra: { level: 'deep', Level: 'wrong' },
            tags: [],
            Tags: { a: 'wrong' },
            Extra: { level: 'wrong' },
            more: {},
            More: { level: 'wrong' },
            Huge: JSON.rawJSON('1e100'),
            TITLE: 'wrong',
          }),
        ],
      },
    )
    await story.run()
    const explained = await story.explain('agenda', 's1')
    expect(
      Object.fromEntries(explained.fields.slice(-6).map(({ field, from }) => [field, ...placesOf(from)])),
    ).toEqual({
      'custom.deep': 'sessions s1 $.extra.level: "deep"',
      'custom.huge': `sessions s1 $.Huge: 1${'0'.repeat(100)}`,
      'custom.list': 'sessions s1 $.Tags: empty',
      'custom.none': 'sessions s1 $.more.level: absent',
      'custom.number': 'sessions s1 $.Level: "1E2"',
      'custom.text': 'sessions s1 $.LEVEL: "1E2"',
    })
    expect(placesOf(fieldOf(explained, 'name').from)).toEqual(['sessions s1 $.Title: "A session"'])
    expect(describeExplanation(explained)).toContain(`$.Huge  "1${'0'.repeat(79)}…" (101 characters)\n`)
  })

  test('a value that changed and then changed back is explained with the runs that changed it', async () => {
    const story = await serveIntegration(database(), setup, EVENT)
    const runs = [(await story.run()).report.run]
    for (const Title of ['Welcome', 'Opening']) {
      story.hold({ ...EVENT, Sessions: [{ ...OPENING, Title, Description: Title }, aSession('s2')] })
      runs.push((await story.run()).report.run)
    }
    story.hold({ ...EVENT, Sessions: [{ ...OPENING, Speakers: [] }, aSession('s2')] })
    runs.push((await story.plan()).report.run)
    const [first, second, third, fourth] = runs
    const explained = await story.explain('agenda', 's1')
    expect(fieldOf(explained, 'name')).toMatchObject({
      value: 'Opening',
      before: 'Welcome',
      firstRun: { run: first },
      lastRun: { run: third },
    })
    expect(fieldOf(explained, 'startTime')).toMatchObject({
      firstRun: { run: first },
      lastRun: { run: first },
    })
    expect(fieldOf(explained, 'description')).toMatchObject({
      value: null,
      absent: 'the source has no value',
      before: 'Opening',
      firstRun: null,
      lastRun: { run: fourth },
      platform: 'Opening',
    })
    expect(fieldOf(explained, 'speakerIds')).toMatchObject({
      value: null,
      platform: ['u1'],
      absent: 'the source lists none',
    })
    expect(explained.platform).toMatchObject({
      has: true,
      asDesired: false,
      sentBy: { run: third },
      lastChange: { run: fourth, action: 'update', state: 'pending' },
    })
    expect(explained.platform.text).toMatch(
      /^it has the item with other values, sent by run \S+ of \S+: run \S+ of \S+ planned to update it, but nothing was sent; look at the plan with `event-sync show \S+`; if it is right, approve it with `event-sync apply \S+ [0-9a-f]{64}`; if it is wrong, /,
    )
    const text = describeExplanation(explained)
    expect(text).toContain(`  name  "Opening"
      from      sessions s1 $.Title
      rule      The text, trimmed. A record without this text is left out. (spec 2.2.1)
      since     run ${third} of `)
    expect(text).toContain('; before that "Welcome"\n')
    expect(text).toContain(`      first     set by run ${first} of `)
    expect(text).toContain('  description  the source has no value: sessions s1 $.Description is absent\n')
    expect(text).not.toContain(String(second))
  })

  test('each reason is explained with the values that decided, and with what can be done', async () => {
    const told = (content: Content, id: string) => whyExcluded(asked, first, content, id)
    expect(await listExcluded(asked, first, EXCLUDED)).toBe(EXCLUDED)
    expect((await told('agenda', 'bad')).slice(1, 4)).toEqual([
      'The start of its time slot cannot be read as a time.',
      'sessions bad $.TimeSlotId: "bad"',
      'time_slots bad $.StartTime: "9 AM"',
    ])
    expect((await told('agenda', 'backwards'))[1]).toBe('The end of its time slot is not after the start.')
    expect((await told('speakers', 'u3'))[2]).toBe('users u3 $.IsPending: true')
    expect((await asked.explain('attendees', 'u4')).why?.todo).toBe(ANONYMOUS)
  })

  test('warnings, repeated ids and missing records are explained in words', async () => {
    const room = await asked.explain('agenda', 'room gone')
    expect(fieldOf(room, 'location')).toMatchObject({ value: null, absent: 'rooms 404 is not at the source' })
    expect(room.marks).toEqual([
      {
        mark: 'dangling_reference:location',
        field: 'location',
        text: 'what the record refers to is not at the source, so the field is left out',
      },
    ])
    const speaker = await asked.explain('speakers', 'u1')
    expect(fieldOf(speaker, 'facebookUrl')).toMatchObject({
      value: null,
      absent: 'a value, or an element of a list, cannot be used and is left out',
    })
    expect(fieldOf(speaker, 'sessionIds').references).toEqual([
      {
        id: 'hidden',
        content: 'agenda',
        resource: 'sessions',
        named: [{ resource: 'sessions', sourceId: 'hidden', path: '$.Speakers' }],
        isKept: false,
        reason: 'not_published',
      },
      expect.objectContaining({
        id: 's1',
        named: [
          { resource: 'users', sourceId: 'u1', path: '$.SpeakingAt' },
          { resource: 'sessions', sourceId: 's1', path: '$.Speakers' },
        ],
        isKept: true,
      }),
    ])
    expect((await asked.explain('attendees', 'twice')).notes).toEqual([
      'the source gave 2 records with this id; the last of them counts, and the others are excluded (duplicate_id): give each an id of its own',
    ])
  })

  test('an explanation hides personal values unless they are requested', async () => {
    const ids = await database()
      .kysely.selectFrom('sync.decisions')
      .where('integration_id', '=', asked.id)
      .where('valid_to_run', 'is', null)
      .select(['content', 'source_id'])
      .execute()
    expect(ids.length).toBeGreaterThan(20)
    for (const { content, source_id } of ids) {
      const hidden = await asked.explain(content, source_id)
      const told = JSON.stringify(hidden) + describeExplanation(hidden)
      expect(told).not.toMatch(/canary|zoe/i)
      if (content !== 'agenda') {
        const shown = await asked.explain(content, source_id, true)
        expect(JSON.stringify(shown)).not.toContain('(hidden)')
      }
    }
    const shown = await asked.explain('attendees', 'canary at example', true)
    expect(shown.uniqueId).toBe('canary at example')
    const error = asked.explain('attendees', 'nobody@people.example')
    await expect(error).rejects.toThrow(/^place-\d+: attendees \(hidden\) is unknown: /)
  })

  test('the error for an unknown id says where the id occurs', async () => {
    await expect(asked.explain('agenda', 'u1')).rejects.toThrow(
      `speakers has it: event-sync explain ${asked.id} speakers u1\n  attendees has it: event-sync explain ${asked.id} attendees u1\n  1 record of sessions could not be read; it may be one of them: event-sync quarantine ${asked.id}\n`,
    )
  })
})
