import { beforeAll, describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { type Records, startScriptedSource } from './scripted-source.ts'
import { configOfA } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const at = (hour: string) => `2031-05-04T${hour}:00Z`

/** Time slots 1 and 2 overlap, slot 3 begins when slot 2 ends, and slot 4 contains all other slots. */
const event: Records = {
  TimeSlots: [
    { Id: 1, StartTime: at('09:00'), EndTime: at('10:30') },
    { Id: 2, StartTime: at('10:00'), EndTime: at('11:00') },
    { Id: 3, StartTime: at('11:00'), EndTime: at('12:00') },
    { Id: 4, StartTime: at('08:00'), EndTime: at('13:00') },
  ],
  Rooms: [
    { Id: 1, Name: 'Blue' },
    { Id: 2, Name: 'Red' },
  ],
  Sessions: [
    { Id: 1, Title: 'First', TimeSlotId: 1, RoomId: 1, Speakers: [{ Id: 'u1' }] },
    { Id: 2, Title: 'Second', TimeSlotId: 2, RoomId: 1, Speakers: [{ Id: 'u1' }, { Id: 'u2' }] },
    { Id: 3, Title: 'Third', TimeSlotId: 3, RoomId: 1, Speakers: [{ Id: 'u2' }] },
    { Id: 4, Title: 'All day', TimeSlotId: 4, RoomId: 2, Speakers: [] },
    { Id: 5, Title: 'Lost', TimeSlotId: 4, Speakers: [{ Id: 'u3' }] },
  ],
  Users: ['u1', 'u2', 'u3'].map((id) => ({
    Id: id,
    FirstName: 'Ada',
    LastName: `Of ${id}`,
    EmailAddress: `${id}@people.example`,
  })),
}

interface Row {
  readonly reason: string
  readonly id: string
  readonly name: string
  readonly why: string
}

describe.each(engines)('on %s', (engine) => {
  let workspace: Workspace
  let url: string
  const ends: (() => unknown)[] = []
  beforeAll(async () => {
    const source = await startScriptedSource(event, (end) => ends.push(end))
    url = source.url
    workspace = await makeWorkspace(engine, false, (end) => ends.push(end))
    workspace.configure(configOfA(url))
    expect((await workspace.run('run')).code).toBe(0)
    return () => {
      for (const end of ends) end()
    }
  })
  const hinted = async (...more: readonly string[]) => {
    const { stdout } = await workspace.run('missing', 'summit', '--json', ...more)
    const rows: readonly Row[] = JSON.parse(stdout).records
    return rows
      .filter(({ reason }) => reason.startsWith('hint:'))
      .map(({ reason, id, name, why }) => [reason.slice('hint:'.length), id, name, why])
  }

  test('the command missing lists possible mistakes in the programme; sessions that follow each other directly do not overlap', async () => {
    expect(await hinted('--show-personal')).toEqual([
      ['doubleBookedRooms', '2', 'Second', 'It starts in Blue while "First" still goes on there.'],
      ['doubleBookedSpeakers', 'u1', 'Ada Of u1', '"Second" starts while "First" still goes on.'],
      ['sessionsWithoutRoom', '5', 'Lost', 'It has no room.'],
      ['sessionsWithoutSpeaker', '4', 'All day', 'It has no speaker.'],
    ])
    expect((await hinted()).map(([, , name]) => name)).toEqual(['Second', '(hidden)', 'Lost', 'All day'])
    const { stdout } = await workspace.run('missing', 'summit')
    expect(stdout).toMatch(/^summit: .*; 4 hints, as of run/)
    expect(stdout).toContain('To silence this hint: hints: {sessionsWithoutRoom: off}.')
  })

  test('the report of a run has the same hints as the command missing, and lists the records that were left out', async () => {
    const [folder = ''] = workspace.files('out', 'summit').map((file) => file.split('/')[0] ?? '')
    const page = workspace.read('out', 'summit', folder, 'report.html')
    expect(page).toContain('Who is missing')
    expect(page).toContain('<h3>Hint: Give the session a room at the source')
    expect(page).toMatch(/<bdi>Second<\/bdi>.*It starts in Blue while &#34;First&#34; still goes on there\./)
    expect(page).toMatch(/Ada Of u1.*&#34;Second&#34; starts while/)
  })

  test('a hint that is switched off does not appear in the command missing and in later reports', async () => {
    workspace.configure(configOfA(url, { hints: { doubleBookedRooms: 'off', sessionsWithoutRoom: 'off' } }))
    expect((await workspace.run('run')).code).toBe(0)
    expect((await hinted()).map(([name]) => name)).toEqual(['doubleBookedSpeakers', 'sessionsWithoutSpeaker'])
    const last = workspace
      .files('out', 'summit')
      .filter((file) => file.endsWith('report.html'))
      .at(-1)
    const page = workspace.read('out', 'summit', ...(last ?? '').split('/'))
    expect(page).not.toContain('It has no room')
    expect(page).toContain('It has no speaker')
  })

  test('a report that is written again has the same bytes, even if hints were switched on meanwhile', async () => {
    workspace.configure(configOfA(url))
    const runs = workspace
      .files('out', 'summit')
      .flatMap((file) => file.match(/^(.*)\/report\.html$/)?.[1] ?? [])
    expect(runs).toHaveLength(2)
    for (const run of runs) expect((await workspace.run('export', run)).code).toBe(0)
  })
})
