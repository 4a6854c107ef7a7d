import { rawElement } from '../../pipeline/demo/sample-elements.ts'
import { excluded, synced } from './traps.ts'
import { type TrapOfA, trapsOfA } from './traps-of-a.ts'
import { type TrapOfB, trapsOfB } from './traps-of-b.ts'

const ofA: readonly TrapOfA[] = [
  {
    name: 'keys of Source A match without regard to case',
    also: {
      Sessions: [{ ID: 'upper', TITLE: 'Upper', TIMESLOTID: 't0', ROOMID: 'room' }],
      Rooms: [{ id: 'room', nAmE: 'Hall' }],
      Users: [
        { id: 'lower', firstname: 'Lo', lastname: 'Wer', emailaddress: 'l@x.example', speakingat: ['s0'] },
      ],
    },
    becomes: {
      'agenda upper': synced({ name: 'Upper', location: 'Hall' }),
      'attendees lower': synced({ firstName: 'Lo', lastName: 'Wer', emailAddress: 'l@x.example' }),
      'speakers lower': synced({ sessionIds: ['s0'] }),
    },
  },
  {
    name: 'RoomID, TimeSlotID, TrackID and SessionTypeID, as the specification also writes them',
    also: {
      Sessions: [
        { Id: 'spec', Title: 'X', TimeSlotID: 't0', RoomID: 'room', TrackID: 'k', SessionTypeID: 'y' },
      ],
      Tracks: [{ ID: 'k', Title: 'Water' }],
      SessionTypes: [{ ID: 'y', Title: 'Talk' }],
    },
    becomes: { 'agenda spec': synced({ location: 'Hall', sessionTracks: ['Water'], subFilters: ['Talk'] }) },
  },
  {
    name: 'of two spellings of a key the first counts',
    session: { Description: 'first', description: 'second' },
    agenda: synced({ description: 'first' }),
  },
  {
    name: 'of two spellings of a key the first with a value counts: null is none',
    session: { Description: null, DESCRIPTION: 'second', description: 'third' },
    agenda: synced({ description: 'second' }),
  },
  {
    name: 'of two spellings of a key the first with a value counts: blank is none',
    session: { Description: ' \u3000', description: 'second' },
    agenda: synced({ description: 'second' }),
  },
  {
    name: 'of two spellings of the key of a reference the first with a value counts',
    session: { RoomId: null, RoomID: 'room' },
    agenda: synced({ location: 'Hall' }),
  },
  {
    name: 'of two spellings of the key of a flag, false is a value',
    session: { Enabled: false, enabled: true },
    agenda: excluded('not_published'),
  },
  {
    name: 'of two spellings within a time the first with a value counts',
    slot: { StartTime: { utc: '', UTC: '2031-05-04T10:00:00Z', Utc: '2031-05-04T10:15:00Z' } },
    agenda: synced({ startTime: '2031-05-04T10:00:00Z' }),
  },
  {
    name: 'a key with blanks around it is another key',
    session: { ' Description': 'other' },
    agenda: synced({ description: undefined }),
  },
  {
    name: 'keys that every object of JavaScript has are keys like others',
    also: {
      Sessions: [
        rawElement(
          '{"Id":"proto","Title":"Proto","TimeSlotId":"t0","__proto__":{"description":"x"},"constructor":1,"toString":2}',
        ),
      ],
    },
    becomes: { 'agenda proto': synced({ name: 'Proto', description: undefined }) },
  },
]

const ofB: readonly TrapOfB[] = [
  {
    name: 'keys of Source B match exactly',
    also: {
      sessions: [
        rawElement('{"id":"b1","Name":"Wrong","date":"2031-08-08","start_time":"09:00","end_time":"10:00"}'),
        rawElement(
          '{"id":"b2","name":"Right","NAME":"Wrong","Description":"Wrong","date":"2031-08-08","start_time":"09:00","end_time":"10:00"}',
        ),
      ],
    },
    becomes: {
      'agenda b1': excluded('missing_required:name'),
      'agenda b2': synced({ name: 'Right', description: undefined }),
    },
  },
  {
    name: 'a key of Source B with a value of null is not replaced by another spelling',
    also: {
      registrants: [
        rawElement('{"id":"g1","first_name":null,"First_Name":"Ada","last_name":"L","email":"a@x.example"}'),
      ],
    },
    becomes: { 'attendees g1': excluded('missing_required:firstName') },
  },
]

trapsOfA('keys of Source A', {}, ofA)
trapsOfB('keys of Source B', {}, ofB)
