import { describe, expect, test } from 'vitest'
import { suppress } from '../../../loaders/ledger/suppressed.ts'
import { describeExplanation } from '../../../pipeline/commands/explain.ts'
import type { Content } from '../../../sql/tables.ts'
import type { Resources } from '../../harness/serve-records.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import type { Setup } from '../../traps/sync.ts'
import { bRegistrant, bSession, TYPES } from '../../traps/traps-of-b.ts'
import { serveIntegration } from '../guarded-integration.ts'
import { fieldOf, listExcluded, placesOf, whyExcluded } from './story.ts'

const setup: Setup = { source: { type: 'b', timeZone: 'Europe/Berlin' } }

const EVENT: Resources = {
  regTypes: TYPES,
  sessions: [
    bSession('s0'),
    bSession('no date', { date: null }),
    bSession('bad', { start_time: '9 AM' }),
    bSession('no length', { end_time: '09:00:00' }),
    ...['s1', 's2', 's3', 's4', 's5', 's6'].map((id) => bSession(id)),
  ],
  registrants: [
    bRegistrant('g1', { session_ids: ['s0', 'bad', 'nowhere'], mobile_phone: '' }),
    bRegistrant('g2', { cancelled_at: '2031-05-01 10:00:00' }),
    bRegistrant('g3', { reg_type_id: { id: 901, value: 'Attendee' } }),
    bRegistrant('g4', { first_name: null }),
    bRegistrant('g5', { email: '' }),
  ],
}

/**
 * The expected explanations of some excluded items, each with its reason, its sentence, and the values that
 * decided.
 */
const EXCLUDED = `attendees/g2: cancelled
  The registration is cancelled.
  registrants g2 $.cancelled_at: "2031-05-01 10:00:00"
speakers/g3: not_a_speaker
  The registrant type is not "Speaker", which makes a speaker (source.speakerRegistrantType).
  registrants g3 $.reg_type_id: {"id":901,"value":"Attendee"}
  reg_types 901 $.name: "Attendee"
agenda/no date: missing_required:startTime
  A session needs a start, and this one has no date or no start time.
  sessions no date $.date: null
  sessions no date $.start_time: "09:00:00"
`

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)

  test('a suppressed person who would be synced is left out; a cancelled person keeps the reason cancelled', async () => {
    const story = await serveIntegration(database(), setup, EVENT)
    await story.run()
    const { kysely } = database()
    const event = await kysely
      .selectFrom('sync.integrations')
      .where('integration_id', '=', story.id)
      .select(['source', 'source_place', 'source_event_id'])
      .executeTakeFirstOrThrow()
    for (const uniqueId of ['g1', 'g2']) {
      const item = { content: 'attendees', uniqueId, since: '2031-01-01T00:00:00Z', by: 'somebody' } as const
      await suppress(kysely, { integrationId: story.id, event }, item)
    }
    const { report, sent } = await story.run()
    expect(report.excluded).toMatchObject({ cancelled: 1, suppressed: 1 })
    // Speaker g1 loses the reference to the removed attendee.
    expect(sent).toEqual(['upsert speakers g1', 'remove attendees g1'])
    expect((await story.explain('attendees', 'g2')).why?.reason).toBe('cancelled')
  })

  test('fields of registrants are explained with paths, sessions and excluded items, and reasons with the values that decided', async () => {
    const story = await serveIntegration(database(), setup, EVENT)
    const { run } = (await story.run()).report
    const attendee = await story.explain('attendees', 'g1', true)
    expect(placesOf(fieldOf(attendee, 'emailAddress').from)).toEqual([
      'registrants g1 $.email: "ada@people.example"',
    ])
    expect(fieldOf(attendee, 'emailAddress').from[0]?.option).toBe('source.fields.email')
    expect(fieldOf(attendee, 'phone')).toMatchObject({ value: null, absent: 'the source has no value' })
    const named = [{ resource: 'registrants', sourceId: 'g1', path: '$.session_ids' }]
    const sessions = { content: 'agenda', resource: 'sessions', named }
    expect(fieldOf(attendee, 'personalAgenda').references).toEqual([
      { id: 'bad', ...sessions, isKept: false, reason: 'bad_time' },
      { id: 'nowhere', ...sessions, isKept: false, reason: 'not at the source' },
      { id: 's0', ...sessions, isKept: true, reason: null },
    ])
    const agenda = await story.explain('agenda', 's0')
    expect(placesOf(fieldOf(agenda, 'startTime').from)).toEqual([
      'sessions s0 $.date: "2031-08-08"',
      'sessions s0 $.start_time: "09:00:00"',
      'sessions s0 $.timezone: absent',
    ])
    const speaker = await story.explain('speakers', 'g2')
    expect(fieldOf(speaker, 'attendeeId')).toMatchObject({
      value: null,
      absent: 'none of those listed at the source is synced',
      references: [{ id: 'g2', content: 'attendees', isKept: false, reason: 'cancelled' }],
    })
    expect(describeExplanation(speaker)).toContain(
      '      left out  registrants g2, referred to by registrants g2 $.id: not synced to attendees, cancelled\n',
    )

    const told = (content: Content, id: string) => whyExcluded(story, run, content, id)
    expect(await listExcluded(story, run, EXCLUDED)).toBe(EXCLUDED)
    expect((await told('speakers', 'g4')).slice(0, 3)).toEqual([
      'missing_required:firstName',
      'The first name is required, and the source has none.',
      'registrants g4 $.first_name: null',
    ])
    expect((await told('attendees', 'g5'))[2]).toBe('registrants g5 $.email: blank')
    expect((await told('agenda', 'bad'))[1]).toBe('The start of the session cannot be read as a time.')
    expect((await told('agenda', 'no length'))[1]).toBe('The session ends at its start.')
  })

  test('a removed item is explained with the time, the run and the reason of its removal', async () => {
    const story = await serveIntegration(database(), setup, EVENT)
    const first = (await story.run()).report.run
    const [g1, ...others] = EVENT.registrants ?? []
    const cancelled = { ...(g1 as object), cancelled_at: '2031-06-01' }
    story.hold({
      ...EVENT,
      sessions: (EVENT.sessions ?? []).slice(0, -1),
      registrants: [cancelled, ...others],
    })
    const second = (await story.run()).report.run
    const attendee = await story.explain('attendees', 'g1')
    expect(attendee).toMatchObject({
      standing: 'excluded',
      why: { reason: 'cancelled', since: { run: second } },
      platform: { has: false, asDesired: true, removed: { run: second, reason: 'cancelled' } },
    })
    expect(attendee.platform.text).toMatch(
      new RegExp(
        `^it no longer has the item: removed by run ${second} of .*, because the registration was cancelled \\(cancelled\\)$`,
      ),
    )
    const session = await story.explain('agenda', 's6')
    expect(session).toMatchObject({
      standing: 'gone',
      record: { since: { run: first }, goneSince: { run: second } },
      why: { reason: 'removed_at_source', since: { run: second } },
      platform: { has: false, removed: { run: second, reason: 'removed_at_source' } },
    })
    expect(describeExplanation(session)).toMatch(/^place-\d+: agenda s6 is removed: removed_at_source\n/)
  })

  test('a removal that a guard holds is explained as held', async () => {
    const story = await serveIntegration(database(), setup, EVENT)
    await story.run()
    story.hold({ ...EVENT, sessions: (EVENT.sessions ?? []).slice(0, 5) })
    await story.run()
    const explained = await story.explain('agenda', 's6')
    expect(explained).toMatchObject({ standing: 'gone', platform: { has: true, asDesired: false } })
    expect(explained.platform.text).toMatch(
      /^it still has the item, sent by run .*: run .* planned to remove it, because the source no longer had its record \(removed_at_source\), but is held by removals; look at the plan with `event-sync show \S+`; if it is right, approve it with `event-sync apply place-\d+ [0-9a-f]{64}`; if it is wrong, /,
    )
    expect(describeExplanation(explained)).toContain(': agenda s6 is gone at the source\n')
  })

  test('the notes of an explanation mention a changed configuration, and content that is no longer synced', async () => {
    const story = await serveIntegration(database(), setup, EVENT)
    await story.run()
    story.configure({ ...setup, content: ['agenda'] })
    expect((await story.explain('attendees', 'g1')).notes).toEqual([
      'the configuration has changed since the last run; the next run may decide otherwise',
    ])
    await story.run()
    expect((await story.explain('attendees', 'g1')).notes).toEqual([
      'the last run did not sync attendees; this is what was known before',
    ])
    await expect(story.explain('attendees', 'g99')).rejects.toThrow(
      '\n  this integration does not sync attendees, only agenda\n',
    )
  })
})
