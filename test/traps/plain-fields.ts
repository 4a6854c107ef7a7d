import { synced } from './traps.ts'
import { aUser, trapsOfA } from './traps-of-a.ts'
import { bRegistrant, trapsOfB } from './traps-of-b.ts'

trapsOfA('plain fields of Source A', {}, [
  {
    name: 'the Title of a session is its name [spec 2.2.1]',
    session: { Title: 'On water' },
    agenda: synced({ name: 'On water' }),
  },
  {
    name: 'FirstName, LastName, EmailAddress, Title, Company and Biography of a user [spec 2.3.1, spec 2.3.2, spec 2.3.3, spec 2.3.4, spec 2.3.5, spec 2.4.1, spec 2.4.2, spec 2.4.3, spec 2.4.4, spec 2.4.5]',
    user: {
      FirstName: 'F',
      LastName: 'L',
      EmailAddress: 'e@x.example',
      Title: 'T',
      Company: 'C',
      Biography: 'B',
    },
    speakers: synced({ firstName: 'F', lastName: 'L', title: 'T', company: 'C', description: 'B' }),
    attendees: synced({
      firstName: 'F',
      lastName: 'L',
      emailAddress: 'e@x.example',
      title: 'T',
      company: 'C',
    }),
  },
  {
    name: 'the Id of a user is the unique ID of the speaker and of the attendee [spec 2.3.9, spec 2.4.6, R42]',
    also: { Users: [aUser('own-id', { SpeakingAt: ['s0'] })] },
    becomes: { 'speakers own-id': synced({ attendeeId: 'own-id' }), 'attendees own-id': synced() },
  },
  {
    name: 'a user with what is required and no more is synced, and has no other field [spec 1.2]',
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
])

trapsOfB('plain fields of Source B', {}, [
  {
    name: 'name and description of a session, HTML and all [spec 2.6.1, spec 2.6.4, R20]',
    session: { name: 'On water', description: '<p>On <b>water</b></p>' },
    agenda: synced({ name: 'On water', description: '<p>On <b>water</b></p>' }),
  },
  {
    name: 'first_name, last_name, email, job_title, company, bio, mobile_phone and twitter_handle of a registrant [spec 2.7.1, spec 2.7.2, spec 2.7.3, spec 2.7.4, spec 2.7.5, spec 2.7.6, spec 2.8.1, spec 2.8.2, spec 2.8.3, spec 2.8.4, spec 2.8.5, spec 2.8.6, spec 2.8.7, R35]',
    registrant: {
      first_name: 'F',
      last_name: 'L',
      email: 'e@x.example',
      job_title: 'T',
      company: 'C',
      bio: '<p>B</p>',
      mobile_phone: '+44 20 7946 0000',
      twitter_handle: '@tide',
    },
    speakers: synced({
      firstName: 'F',
      lastName: 'L',
      title: 'T',
      company: 'C',
      description: '<p>B</p>',
      biography: undefined,
      phone: undefined,
      twitter: 'tide',
    }),
    attendees: synced({
      firstName: 'F',
      lastName: 'L',
      emailAddress: 'e@x.example',
      title: 'T',
      company: 'C',
      biography: '<p>B</p>',
      description: undefined,
      phone: '+44 20 7946 0000',
    }),
  },
  {
    name: 'the id of a registrant is the unique ID of the speaker and of the attendee [spec 2.7.8, spec 2.7.9, spec 2.8.9]',
    also: { registrants: [bRegistrant('own-id')] },
    becomes: { 'speakers own-id': synced({ attendeeId: 'own-id' }), 'attendees own-id': synced() },
  },
])
