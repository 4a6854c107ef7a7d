import { synced } from './traps.ts'
import { aUser, type TrapOfA, trapsOfA } from './traps-of-a.ts'
import { bRegistrant, type TrapOfB, trapsOfB } from './traps-of-b.ts'

type Fields = Readonly<Record<string, string | undefined>>

const ofSession = (name: string, Title: string, fields: Fields): TrapOfA => ({
  name,
  session: { Title },
  agenda: synced(fields),
})
const ofSpeaker = (name: string, user: object, fields: Fields): TrapOfA => ({
  name,
  user: { ...user },
  speakers: synced(fields),
})
const ofAttendee = (name: string, user: object, fields: Fields): TrapOfA => ({
  name,
  user: { ...user },
  attendees: synced(fields),
})

const ofA: readonly TrapOfA[] = [
  ofSession('the Title of a session is its name', 'On water', { name: 'On water' }),
  ofSpeaker(
    'the FirstName of a user is the first name of the speaker',
    { FirstName: 'F' },
    { firstName: 'F' },
  ),
  ofSpeaker('the LastName of a user is the last name of the speaker', { LastName: 'L' }, { lastName: 'L' }),
  ofSpeaker('the Title of a user is the title of the speaker', { Title: 'T' }, { title: 'T' }),
  ofSpeaker('the Company of a user is the company of the speaker', { Company: 'C' }, { company: 'C' }),
  ofSpeaker(
    'the Biography of a user is the description of the speaker',
    { Biography: 'B' },
    { description: 'B' },
  ),
  ofAttendee(
    'the FirstName of a user is the first name of the attendee',
    { FirstName: 'F' },
    { firstName: 'F' },
  ),
  ofAttendee('the LastName of a user is the last name of the attendee', { LastName: 'L' }, { lastName: 'L' }),
  ofAttendee(
    'the EmailAddress of a user is the e-mail address of the attendee',
    { EmailAddress: 'e@x.example' },
    { emailAddress: 'e@x.example' },
  ),
  ofAttendee('the Title of a user is the title of the attendee', { Title: 'T' }, { title: 'T' }),
  ofAttendee('the Company of a user is the company of the attendee', { Company: 'C' }, { company: 'C' }),
  {
    name: 'the Id of a user is the unique ID of the speaker and of the attendee',
    also: { Users: [aUser('own-id', { SpeakingAt: ['s0'] })] },
    becomes: { 'speakers own-id': synced({ attendeeId: 'own-id' }), 'attendees own-id': synced() },
  },
  {
    name: 'a user with what is required and no more is synced, and has no other field',
    also: {
      Users: [{ Id: 'bare', FirstName: 'F', LastName: 'L', EmailAddress: 'e@x.example', SpeakingAt: ['s0'] }],
    },
    becomes: {
      'speakers bare': synced({
        title: undefined,
        company: undefined,
        description: undefined,
        imageUrl: undefined,
      }),
      'attendees bare': synced({ title: undefined, company: undefined }),
    },
  },
]

const forBoth = (name: string, registrant: object, speakers: Fields, attendees: Fields): TrapOfB => ({
  name,
  registrant: { ...registrant },
  speakers: synced(speakers),
  attendees: synced(attendees),
})

const ofB: readonly TrapOfB[] = [
  {
    name: 'the name of a session of Source B is its name',
    session: { name: 'On water' },
    agenda: synced({ name: 'On water' }),
  },
  {
    name: 'the description of a session of Source B is its description, HTML and all',
    session: { description: '<p>On <b>water</b></p>' },
    agenda: synced({ description: '<p>On <b>water</b></p>' }),
  },
  forBoth(
    'first_name is the first name of both',
    { first_name: 'F' },
    { firstName: 'F' },
    { firstName: 'F' },
  ),
  forBoth('last_name is the last name of both', { last_name: 'L' }, { lastName: 'L' }, { lastName: 'L' }),
  forBoth('job_title is the title of both', { job_title: 'T' }, { title: 'T' }, { title: 'T' }),
  forBoth('company is the company of both', { company: 'C' }, { company: 'C' }, { company: 'C' }),
  forBoth(
    'bio is the description of the speaker and the biography of the attendee',
    { bio: '<p>B</p>' },
    { description: '<p>B</p>', biography: undefined },
    { biography: '<p>B</p>', description: undefined },
  ),
  forBoth(
    'mobile_phone is the phone of the attendee, and no field of the speaker',
    { mobile_phone: '+44 20 7946 0000' },
    { phone: undefined },
    { phone: '+44 20 7946 0000' },
  ),
  {
    name: 'the id of a registrant is the unique ID of the speaker and of the attendee',
    also: { registrants: [bRegistrant('own-id')] },
    becomes: { 'speakers own-id': synced({ attendeeId: 'own-id' }), 'attendees own-id': synced() },
  },
]

trapsOfA('plain fields of Source A', {}, ofA)
trapsOfB('plain fields of Source B', {}, ofB)
