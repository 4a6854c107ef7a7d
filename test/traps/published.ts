import { excluded, synced } from './traps.ts'
import { aUser, type TrapOfA, trapsOfA } from './traps-of-a.ts'

const published = synced({ name: 'A session' })
const notPublished = excluded('not_published')

const sessions: readonly TrapOfA[] = [
  { name: 'Enabled of true publishes', session: { Enabled: true }, agenda: published },
  { name: 'Enabled of false does not', session: { Enabled: false }, agenda: notPublished },
  {
    name: 'VisibleToAnonymousUsers of false does not publish',
    session: { VisibleToAnonymousUsers: false },
    agenda: notPublished,
  },
  {
    name: 'Enabled of true does not show what is hidden',
    session: { Enabled: true, visibletoanonymoususers: false },
    agenda: notPublished,
  },
  {
    name: 'flags that are null say nothing',
    session: { Enabled: null, VisibleToAnonymousUsers: null },
    agenda: published,
  },
  {
    name: 'the text false is no flag',
    session: { Enabled: 'false', VisibleToAnonymousUsers: 'False' },
    agenda: published,
  },
  { name: 'the number 0 is no flag', session: { Enabled: 0 }, agenda: published },
  {
    name: 'a list or an object is no flag',
    session: { Enabled: [false], VisibleToAnonymousUsers: {} },
    agenda: published,
  },
  { name: 'every status is published', session: { Status: 'Declined' }, agenda: published },
]

const meeting = excluded('one_to_one_meeting')

const meetings: readonly TrapOfA[] = [
  { name: 'a session of the type 1:1 Meeting is none', type: { Title: '1:1 Meeting' }, agenda: meeting },
  { name: 'a session of the type 1:1 meetings is none', type: { Title: '1:1 meetings' }, agenda: meeting },
  {
    name: 'a session of the type One-to-one meeting is none',
    type: { Title: 'One-to-one meeting' },
    agenda: meeting,
  },
  { name: 'the case of the type does not matter', type: { Title: 'ONE-TO-ONE MEETING' }, agenda: meeting },
  {
    name: 'the type may have its title in Name, with blanks',
    type: { Name: ' 1:1 Meeting ' },
    agenda: meeting,
  },
  {
    name: 'a title that holds the words and more is another',
    type: { Title: '1:1 Meeting room tour' },
    agenda: published,
  },
  {
    name: 'a session that is called so is none of that type',
    session: { Title: '1:1 Meeting' },
    agenda: synced({ name: '1:1 Meeting' }),
  },
]

const users: readonly TrapOfA[] = [
  {
    name: 'IsPending of true is no speaker yet, and an attendee',
    user: { IsPending: true },
    speakers: notPublished,
    attendees: synced(),
  },
  {
    name: 'IsPending of false is a speaker',
    user: { IsPending: false },
    speakers: synced(),
    attendees: synced(),
  },
  { name: 'IsPending of null says nothing', user: { IsPending: null }, speakers: synced() },
  { name: 'the text true is no flag', user: { IsPending: 'true' }, speakers: synced() },
  { name: 'the number 1 is no flag', user: { IsPending: 1 }, speakers: synced() },
  {
    name: 'a pending user who does not speak is no speaker, rather than not published',
    also: { Users: [aUser('pending', { IsPending: true })] },
    becomes: { 'speakers pending': excluded('not_a_speaker') },
  },
  {
    name: 'ProfileIsPublic is no field of the integration',
    user: { ProfileIsPublic: false },
    speakers: synced(),
    attendees: synced(),
  },
]

trapsOfA('sessions that are published', {}, sessions)
trapsOfA('1:1 meetings', {}, meetings)
trapsOfA('pending users', {}, users)
