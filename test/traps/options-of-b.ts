import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { syncRecords } from './sync.ts'
import { excluded, synced, useOutput } from './traps.ts'
import { bRegistrant, SESSION_B, TYPES, trapsOfB } from './traps-of-b.ts'

const notASpeaker = excluded('not_a_speaker')

const types = {
  regTypes: [
    { id: 903, name: ' Guest Speaker ' },
    { id: 904, name: '905' },
    { id: 905, name: 'Press' },
  ],
}
const ofTypes = {
  registrants: [
    bRegistrant('by-id', { reg_type_id: 903 }),
    bRegistrant('by-value', { reg_type_id: { id: 7, value: 'GUEST speaker' } }),
    bRegistrant('by-name', { reg_type_id: 'guest speaker' }),
    bRegistrant('default', { reg_type_id: 902 }),
  ],
}

trapsOfB('source.speakerRegistrantType as a name', { speakerRegistrantType: ' guest Speaker' }, [
  {
    name: 'speakerRegistrantType as a name, trimmed and in any case',
    also: { ...types, ...ofTypes },
    becomes: {
      'speakers by-id': synced(),
      'speakers by-value': synced(),
      'speakers by-name': synced(),
      'speakers default': notASpeaker,
    },
  },
])
trapsOfB('source.speakerRegistrantType as an id', { speakerRegistrantType: 903 }, [
  {
    name: 'speakerRegistrantType as an id',
    also: { ...types, ...ofTypes },
    becomes: {
      'speakers by-id': synced(),
      'speakers by-value': notASpeaker,
      'speakers default': notASpeaker,
    },
  },
])
trapsOfB('options of Source B as they are', { cancelledSpeakers: 'keep' }, [
  {
    name: 'without source.fields.email, email is read',
    registrant: { email: 'home@x.example', work_email: 'work@x.example' },
    attendees: synced({ emailAddress: 'home@x.example' }),
  },
  {
    name: 'cancelledSpeakers keep: the speaker rule alone decides, and the attendee is left out',
    registrant: { cancelled_at: '2031-02-14' },
    speakers: synced({ attendeeId: undefined }, 'not_synced:attendeeId=1'),
    attendees: excluded('cancelled'),
  },
])

const set = { cancelledSpeakers: 'exclude', fields: { email: 'work_email' } }

trapsOfB('options of Source B that are set', set, [
  {
    name: 'source.fields.email names the key of the e-mail address',
    registrant: { email: 'home@x.example', work_email: 'work@x.example' },
    attendees: synced({ emailAddress: 'work@x.example' }),
  },
  {
    name: 'with source.fields.email, email is not read',
    registrant: { email: 'home@x.example' },
    attendees: excluded('missing_required:emailAddress'),
  },
  {
    name: 'the key that source.fields.email names matches exactly',
    registrant: { Work_Email: 'work@x.example' },
    attendees: excluded('missing_required:emailAddress'),
  },
  {
    name: 'cancelledSpeakers exclude: who has cancelled is no speaker',
    registrant: { cancelled_at: '2031-02-14' },
    speakers: excluded('cancelled'),
    attendees: excluded('cancelled'),
  },
  {
    name: 'cancelledSpeakers exclude: who has not cancelled is one',
    also: { registrants: [bRegistrant('stays', { cancelled_at: '0000-00-00', work_email: 'a@x.example' })] },
    becomes: { 'speakers stays': synced({ attendeeId: 'stays' }) },
  },
])

describe.each(engines)('a speaker type that the source does not have, on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useOutput()
  const registrants = [bRegistrant('g1', { reg_type_id: 901 })]

  function sync(id: string, records: object, content?: readonly string[]) {
    const place = { database: database(), output: output(), id }
    const setup = {
      source: { type: 'b', timeZone: 'UTC' },
      ...(content === undefined ? {} : { content }),
    } as const
    return syncRecords(place, setup, { sessions: [SESSION_B], registrants, ...records })
  }

  test('a source without the speaker type holds the plan, and nothing is sent', async () => {
    const report = await sync('no-type', { regTypes: TYPES.slice(0, 1) })
    expect([report.status, report.held?.guard]).toEqual(['held', 'speakerType'])
    expect(
      readdirSync(join(output(), engine, 'no-type'), { recursive: true }).filter((file) =>
        String(file).endsWith('operations.jsonl'),
      ),
    ).toEqual([])
  })

  test('a speaker type whom nobody has holds nothing: there are no speakers', async () => {
    const report = await sync('nobody', { regTypes: TYPES })
    expect([report.status, report.changes.speakers.create, report.changes.attendees.create]).toEqual([
      'finished',
      0,
      1,
    ])
  })

  test('a speaker type that only a registrant names holds nothing', async () => {
    const named = [...registrants, bRegistrant('g2', { reg_type_id: { id: 1, value: 'Speaker' } })]
    const report = await sync('named', { regTypes: [], registrants: named })
    expect([report.status, report.changes.speakers.create]).toEqual(['finished', 1])
  })

  test('without speakers among the content nobody asks for the type', async () => {
    const report = await sync('no-speakers', { regTypes: [] }, ['agenda', 'attendees'])
    expect([report.status, report.changes.attendees.create]).toEqual(['finished', 1])
  })
})
