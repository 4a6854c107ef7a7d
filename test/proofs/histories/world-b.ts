import { type Json, num } from '../../harness/json.ts'
import { changed, type Fields, idsOf, type Vocabulary } from './world.ts'

const SPEAKER = num(20)
const ATTENDEE = num(21)

/** The resources and keys of Source B, in which a registrant refers to a type and to sessions. */
export const vocabularyB: Vocabulary = {
  type: 'b',
  idKey: 'id',
  people: 'registrants',
  names: ['first_name', 'last_name'],
  address: 'email',
  sessions: 'sessions',
  clock: 'sessions',
  texts: [
    { resource: 'registrants', key: 'first_name', isRequired: true },
    { resource: 'registrants', key: 'email', isRequired: true },
    { resource: 'registrants', key: 'company', isRequired: false },
    { resource: 'registrants', key: 'job_title', isRequired: false },
    { resource: 'registrants', key: 'bio', isRequired: false },
    { resource: 'sessions', key: 'name', isRequired: true },
    { resource: 'sessions', key: 'description', isRequired: false },
  ],
  deciding: [
    ['registrants', 'reg_type_id'],
    ['registrants', 'cancelled_at'],
    ['reg-types', 'name'],
  ],
  leaving: [
    { resource: 'registrants', go: { cancelled_at: '2031-02-03 04:05:06' }, stay: { cancelled_at: null } },
    { resource: 'registrants', go: { reg_type_id: ATTENDEE }, stay: { reg_type_id: SPEAKER } },
  ],
  makePerson: (world, random, number) => ({
    first_name: `Given ${number}`,
    last_name: `Family ${number}`,
    email: `p${number}@people.example`,
    job_title: random.chance(0.7) ? `Title ${number}` : '',
    company: `Company ${random.below(9)}`,
    bio: random.chance(0.7) ? `<p>Of ${number}</p>` : '',
    mobile_phone: random.chance(0.5) ? `+49 30 ${number}` : null,
    twitter_handle: random.chance(0.3) ? `@p${number}` : '',
    reg_type_id: random.chance(0.3) ? SPEAKER : ATTENDEE,
    cancelled_at: null,
    session_ids: random.some(idsOf(world, 'sessions'), 0.1),
  }),
  makeSession: (_, random, number) => ({
    name: `Session ${number}`,
    description: `About ${number}`,
    ...timesAt(9 + random.below(8)),
  }),
  lookups: {
    'reg-types': new Map<string, Fields>([
      ['20', { name: 'Speaker' }],
      ['21', { name: 'Attendee' }],
    ]),
  },
  moved: (fields, random) => ({ ...fields, ...timesAt(9 + random.below(8)) }),
  relink(world, random) {
    const sessions = [...idsOf(world, 'sessions'), ...(random.chance(0.3) ? ['nowhere'] : [])]
    return changed(world, 'registrants', random.some(idsOf(world, 'registrants'), 0.2), (fields) => ({
      ...fields,
      session_ids: random.some(sessions, 0.15),
    }))
  },
  renameType: (world, isAsAtFirst) =>
    changed(world, 'reg-types', ['20'], () => ({ name: isAsAtFirst ? 'Speaker' : 'Referent' })),
}

function timesAt(hour: number): Readonly<Record<string, Json>> {
  const at = (minute: string) => `${String(hour).padStart(2, '0')}:${minute}:00`
  return { date: '2031-08-08', start_time: at('00'), end_time: at('45') }
}
