import { describe, expect, test } from 'vitest'
import { describeReport } from '../../pipeline/commands/print-report.ts'
import type { RunReport } from '../../pipeline/runtime/report.ts'
import type { Resources } from '../harness/serve-records.ts'
import { ids } from '../support/runs.ts'
import { useDatabase } from '../support/use-database.ts'
import type { Setup } from '../traps/sync.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { bRegistrant } from '../traps/traps-of-b.ts'
import { serveIntegration } from './guarded-integration.ts'

const database = useDatabase('pglite')
const notesOf = ({ notes = [] }: RunReport) => notes

describe('a first run that syncs no record of a content with records says so', () => {
  const users = (count: number, fields: Readonly<Record<string, unknown>>): Resources => ({
    Users: ids(count).map((id) => aUser(id, fields)),
  })
  test.each<[string, Setup, Resources, RegExp]>([
    [
      'hidden addresses',
      { source: { type: 'a' }, content: ['attendees'] },
      { Users: [...(users(7, { EmailAddress: null }).Users ?? []), aUser('nameless', { LastName: null })] },
      /^nothing of attendees is synced: all 8 records are left out, most often for missing_required:emailAddress \(7 records: no emailAddress, which the platform requires\); `event-sync explain place-\d+ attendees ID` says of one record why$/,
    ],
    [
      'a type that nobody has',
      { source: { type: 'b', timeZone: 'UTC' }, content: ['speakers'] },
      {
        registrants: ids(3).map((id) => bRegistrant(id, { reg_type_id: 21 })),
        regTypes: [{ id: 20, name: 'Speaker' }],
      },
      /^nothing of speakers is synced: all 3 records are left out, most often for not_a_speaker \(3 records: does not speak\); /,
    ],
    [
      'a programme of drafts',
      { source: { type: 'a' }, content: ['agenda'] },
      { TimeSlots: [SLOT_0], Sessions: [aSession('s1', { Enabled: false })] },
      /^nothing of agenda is synced: the only record is left out, most often for not_published \(1 record: not published\); /,
    ],
    [
      'records without ids',
      { source: { type: 'a' }, content: ['agenda'] },
      {
        TimeSlots: [SLOT_0],
        Sessions: [aSession(null), aSession(null), aSession('s1', { Title: null })],
      },
      /^nothing of agenda is synced: all 3 records are left out, most often for invalid_record \(2 records: could not be read\); /,
    ],
  ])('%s', async (_, setup, records, note) => {
    const source = await serveIntegration(database(), setup, records)
    const planned = await source.plan()
    expect(notesOf(planned.report)).toEqual([expect.stringMatching(note)])
    const run = await source.run()
    expect(notesOf(run.report)).toEqual([expect.stringMatching(note)])
    expect(describeReport(run.report)).toContain('\n  note       nothing of ')
    expect(notesOf((await source.run()).report)).toEqual([])
  })
})

test('a run writes no note about a content that has no records, that has some synced records, or whose records are all lost later', async () => {
  const setup: Setup = { source: { type: 'a' }, content: ['agenda', 'attendees'] }
  const Users = [aUser('u1'), aUser('u2', { EmailAddress: null })]
  const source = await serveIntegration(database(), setup, { Users })
  expect(notesOf((await source.run()).report)).toEqual([])
  source.hold({ Users: [aUser('u1', { EmailAddress: null }), aUser('u2', { EmailAddress: null })] })
  const held = await source.run()
  expect(notesOf((await source.approve(held.report.planHash)).report)).toEqual([])
})

test('the first run of a content that was added to the configuration writes a note if it syncs no record', async () => {
  const setup: Setup = { source: { type: 'a' }, content: ['attendees'] }
  const source = await serveIntegration(database(), setup, { Users: [aUser('u1', { SpeakingAt: [] })] })
  expect(notesOf((await source.run()).report)).toEqual([])
  source.configure({ ...setup, content: ['attendees', 'speakers'] })
  expect(notesOf((await source.run()).report)).toEqual([
    expect.stringContaining('nothing of speakers is synced: the only record is left out'),
  ])
})
