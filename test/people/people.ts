import type { Resources } from '../harness/serve-records.ts'

/** A person whose values, including id and address, occur nowhere else in these tests. */
const withId = {
  Id: 'zyxomma-1',
  FirstName: 'Zyxomma One',
  LastName: 'Of Zyxomma',
  EmailAddress: 'One@Zyxomma.example',
}
const profile = {
  Title: 'Ýzýxý, title',
  Company: 'Ltd "zy\\x"<&>',
  Biography: 'Zyxomma "wrote"\n\u00e9',
  PhotoLink: 'https://zyxomma.example/one.jpg',
  Facebook: 'zyxomma.one',
  LinkedIn: 'zyxomma-one',
}
const other = (id: string, more: object = {}) => ({
  Id: id,
  FirstName: 'Ada',
  LastName: `Of ${id}`,
  EmailAddress: `${id}@people.example`,
  ...more,
})
const slot = { Id: 1, StartTime: '2031-05-04T13:00:00Z', EndTime: '2031-05-04T14:00:00Z' }
const session = (Id: number, Speakers: readonly unknown[], more: object = {}) => ({
  Id,
  Title: `Session ${Id}`,
  TimeSlotId: 1,
  Speakers,
  ...more,
})
const ofA = (Users: readonly unknown[], Sessions: readonly unknown[]): Resources => ({
  Users,
  Sessions,
  TimeSlots: [slot],
})
const others = ['u2', 'u3', 'u4', 'u5'].map((id) => other(id))

/**
 * Records of Source A in each run before `forget`. The person is added, then changed and duplicated; sessions
 * name the person.
 */
export const beforeOfA: readonly Resources[] = [
  ofA(
    [withId, ...others],
    [session(101, [withId, other('u2')], { SpeakerOrder: ['zyxomma-1', 'u2'] }), session(102, [])],
  ),
  ofA(
    [
      { ...withId, ...profile },
      withId,
      ...others,
      { ...withId, ...profile, EmailAddress: 'new@zyxomma.example' },
    ],
    [session(101, [other('u2')]), session(102, [{ Id: 'zyxomma-1', FirstName: 'Zyxomma' }])],
  ),
  ofA(
    [...others, { ...withId, ...profile, Company: 'Zyxomma plc', EmailAddress: 'new@zyxomma.example' }],
    [session(101, [withId, other('u2')]), session(102, [{ Id: 'zyxomma-1', FirstName: 'Zyxomma' }])],
  ),
]

/** The records of Source A after the person has left the event. */
export const withoutOfA: Resources = ofA(others, [session(101, [other('u2')]), session(102, [])])

/**
 * Records after `forget`: the source sends the person again with other values, on another page, and with
 * another id.
 */
export const afterOfA: Resources = ofA(
  [
    ...others,
    { ...withId, FirstName: 'Zyxomma Uno', EmailAddress: null },
    { ...withId, Id: 'zyxomma-9', EmailAddress: ' NEW@ZYXOMMA.example' },
    { FirstName: 'Zyxomma', LastName: 'Without', EmailAddress: 'ONE@zyxomma.example' },
  ],
  [
    session(101, [{ ...withId, Company: 'Zyxomma' }, other('u2')], { SpeakerOrder: 'zyxomma-1,u2' }),
    session(102, [{ Id: 'zyxomma-9', EmailAddress: 'new@zyxomma.example' }]),
  ],
)

const registrant = {
  id: 'zyxomma7',
  first_name: 'Zyxomma Seven',
  last_name: 'Of Zyxomma',
  email: 'seven@zyxomma.example',
  job_title: 'Ýzýxý, title',
  company: 'Ltd "zy\\x"<&>',
  bio: 'Zyxomma wrote',
  mobile_phone: '+49 30 zyxomma',
  twitter_handle: 'zyxomma7',
  reg_type_id: 20,
  session_ids: [500],
}
const otherOfB = (id: number) => ({
  id,
  first_name: 'Grace',
  last_name: `Of ${id}`,
  email: `r${id}@people.example`,
  reg_type_id: id === 11 ? 20 : 10,
  session_ids: [500],
})
const othersOfB = [11, 12, 13, 14].map(otherOfB)
const ofB = (registrants: readonly unknown[], more: object = {}): Resources => ({
  sessions: [
    {
      id: 500,
      name: 'Opening',
      date: '2031-05-04',
      start_time: '09:00',
      end_time: '10:00',
      timezone: 'UTC',
      ...more,
    },
  ],
  registrants,
  reg_types: [
    { id: 20, name: 'Speaker' },
    { id: 10, name: 'Guest of the house' },
  ],
})

export const beforeOfB: readonly Resources[] = [
  ofB([registrant, ...othersOfB]),
  ofB([{ ...registrant, company: 'Zyxomma plc' }, registrant, ...othersOfB], {
    host: { id: 'zyxomma7', email: 'seven@zyxomma.example', name: 'Zyxomma' },
  }),
  ofB([...othersOfB, { ...registrant, bio: 'Zyxomma again' }]),
]
export const afterOfB: Resources = ofB(
  [
    ...othersOfB,
    { ...registrant, first_name: 'Zyxomma Siete' },
    { ...registrant, id: 99, email: 'SEVEN@zyxomma.example' },
  ],
  { registrants: [{ id: 'zyxomma7', name: 'Zyxomma' }, { id: 11 }] },
)
