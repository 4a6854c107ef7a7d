import { describe, expect, test } from 'vitest'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { readPack } from './pack.ts'
import { syncRecords } from './sync.ts'
import { excluded, synced, useOutput } from './traps.ts'
import { aSession, aUser, SLOT_0, trapsOfA } from './traps-of-a.ts'

const notASpeaker = excluded('not_a_speaker')
const here = ['s0']

const people = {
  Users: [
    aUser('listed', { SpeakingAt: here, Roles: 'Attendee' }),
    aUser('role', { Roles: 'Admin|Speaker' }),
    aUser('both', { SpeakingAt: here, Roles: ['Attendee', 'Speaker'] }),
    aUser('neither', { Roles: null }),
    aUser('almost', { Roles: 'Attendee|Speakers|NonSpeaker' }),
  ],
}

const profile = { Facebook: 'face', LinkedIn: 'linked', Website: 'https://x.example/w', blog: 'blogger' }
const notPublished = excluded('not_published')
const meeting = excluded('one_to_one_meeting')

trapsOfA('options as they are', { speakers: 'listed', oneToOneTypes: [] }, [
  {
    name: 'listed: who is listed is a speaker, whatever the role',
    also: people,
    becomes: {
      'speakers listed': synced(),
      'speakers role': notASpeaker,
      'speakers both': synced(),
      'speakers neither': notASpeaker,
    },
  },
  {
    name: 'without source.fields, Facebook and LinkedIn are read',
    user: profile,
    speakers: synced({
      facebookUrl: 'https://www.facebook.com/face',
      linkedinUrl: 'https://www.linkedin.com/in/linked',
    }),
  },
  {
    name: 'no oneToOneTypes: no type is one',
    type: { Title: 'One-to-one meeting' },
    agenda: synced({ subFilters: ['One-to-one meeting'] }),
  },
])

trapsOfA('source.speakers: role', { speakers: 'role' }, [
  {
    name: 'role: who has the role Speaker is a speaker, listed or not',
    also: people,
    becomes: {
      'speakers listed': notASpeaker,
      'speakers role': synced({ sessionIds: undefined }),
      'speakers both': synced({ sessionIds: ['names-two', 's0'] }),
      'speakers neither': notASpeaker,
      'speakers almost': notASpeaker,
    },
  },
  {
    name: 'role: a session names only those who are speakers by their role',
    also: { Sessions: [aSession('names-two', { Speakers: [{ Id: 'listed' }, { Id: 'both' }] })] },
    becomes: { 'agenda names-two': synced({ speakerIds: ['both'] }, 'not_synced:speakerIds=1') },
  },
])

trapsOfA('source.speakers: both', { speakers: 'both' }, [
  {
    name: 'both: who is listed and has the role Speaker is a speaker',
    also: people,
    becomes: {
      'speakers listed': notASpeaker,
      'speakers role': notASpeaker,
      'speakers both': synced(),
      'speakers neither': notASpeaker,
    },
  },
])

trapsOfA('source.sessionStatuses', { sessionStatuses: ['Accepted', 'Confirmed'] }, [
  { name: 'a status that is named is published', session: { Status: 'Accepted' }, agenda: synced() },
  { name: 'another status that is named is published', session: { Status: ' Confirmed ' }, agenda: synced() },
  { name: 'a status that is not named is not published', session: { Status: 'Draft' }, agenda: notPublished },
  {
    name: 'a status in another case is not published',
    session: { Status: 'accepted' },
    agenda: notPublished,
  },
  { name: 'without a status a session is not published', session: { Status: null }, agenda: notPublished },
  {
    name: 'a status that is named does not show what is hidden',
    session: { Status: 'Accepted', Enabled: false },
    agenda: notPublished,
  },
])

const set = {
  fields: { facebook: 'Website', linkedin: 'Blog' },
  includeHidden: true,
  includePending: true,
  oneToOneTypes: ['Coffee chat', ' Duo '],
  locationSeparator: ', ',
}

trapsOfA('options that are set', set, [
  {
    name: 'source.fields.facebook and .linkedin name other keys, which match without regard to case',
    user: profile,
    speakers: synced({
      facebookUrl: 'https://x.example/w',
      linkedinUrl: 'https://www.linkedin.com/in/blogger',
    }),
  },
  {
    name: 'with source.fields, Facebook and LinkedIn are not read',
    user: { Facebook: 'face', LinkedIn: 'linked' },
    speakers: synced({ facebookUrl: undefined, linkedinUrl: undefined }),
  },
  { name: 'includeHidden: Enabled of false is synced', session: { Enabled: false }, agenda: synced() },
  {
    name: 'includeHidden: VisibleToAnonymousUsers of false is synced',
    session: { VisibleToAnonymousUsers: false },
    agenda: synced(),
  },
  {
    name: 'includeHidden does not show 1:1 meetings',
    session: { Enabled: false },
    type: { Title: 'Duo' },
    agenda: meeting,
  },
  { name: 'includePending: a pending user is a speaker', user: { IsPending: true }, speakers: synced() },
  {
    name: 'oneToOneTypes: a type that is named, in any case',
    type: { Title: 'COFFEE Chat' },
    agenda: meeting,
  },
  { name: 'oneToOneTypes: another that is named', type: { Title: 'duo' }, agenda: meeting },
  {
    name: 'oneToOneTypes: the types of the default are types like others',
    type: { Title: '1:1 Meeting' },
    agenda: synced({ subFilters: ['1:1 Meeting'] }),
  },
  {
    name: 'locationSeparator stands between location and name',
    room: { Location: 'Level 1', Name: 'Hall A' },
    agenda: synced({ location: 'Level 1, Hall A' }),
  },
  {
    name: 'locationSeparator stands nowhere else',
    room: { Name: 'Hall A' },
    agenda: synced({ location: 'Hall A' }),
  },
])

describe.each(engines)('removals.action, on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useOutput()
  const before = { TimeSlots: [SLOT_0], Sessions: [aSession('gone'), aSession('stays')] }
  const after = { TimeSlots: [SLOT_0], Sessions: [aSession('gone', { Enabled: false }), aSession('stays')] }

  async function syncTwice(id: string, removals: Readonly<Record<string, unknown>>) {
    const place = { database: database(), output: output(), id }
    const setup = { source: { type: 'a' }, content: ['agenda'], removals } as const
    await syncRecords(place, setup, before)
    const { output: folder } = await syncRecords(place, setup, after)
    return readPack(folder ?? '')
  }

  test('removals.action remove: an item whose record is no longer published is removed', async () => {
    const { operations, decisions } = await syncTwice('removes', { action: 'remove' })
    expect(operations).toEqual([
      { seq: 1, op: 'remove', content: 'agenda', uniqueId: 'gone', reason: 'not_published' },
    ])
    expect(decisions.map(({ sourceId, reason, action }) => [sourceId, reason, action])).toEqual([
      ['gone', 'not_published', 'remove'],
      ['stays', null, 'unchanged'],
    ])
  })

  test('removals.action keep: it stays on the platform, and the decision says what became of the record', async () => {
    const { operations, decisions } = await syncTwice('keeps', { action: 'keep' })
    expect(operations).toEqual([])
    expect(decisions.map(({ sourceId, reason, action }) => [sourceId, reason, action])).toEqual([
      ['gone', 'not_published', null],
      ['stays', null, 'unchanged'],
    ])
  })
})
