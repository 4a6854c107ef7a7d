/**
 * A third source for tests. The third source has all three contents, but other names for resources and fields
 * than Source A and Source B. A check that works only with the names of Source A and Source B fails for this
 * source.
 */
import {
  badTime,
  column,
  content,
  counterpart,
  defineSource,
  EXACT_KEYS,
  id,
  ids,
  instant,
  optional,
  readTime,
  references,
  required,
  resource,
  sql,
  staged,
  text,
  time,
  uniqueId,
} from 'event-content-sync/source'

const slots = resource('slots', 'conference_slots', EXACT_KEYS, id('id'), {
  ...time('start_time', ['from'], ([value], timeZone) => readTime(value, timeZone)),
  ...time('end_time', ['to'], ([value], timeZone) => readTime(value, timeZone)),
})
const halls = resource('halls', 'conference_halls', EXACT_KEYS, id('id'), { name: text('name') })
const talks = resource('talks', 'conference_talks', EXACT_KEYS, id('id'), {
  title: text('title'),
  slot_id: id('slot'),
  hall_id: id('hall'),
  speaker_ids: ids('speakers', (one) => one, { meaning: 'ids of people' }),
  is_draft: column<boolean>('flag', ['draft'], ([value]) => staged(value === true), {
    isNullable: false,
    meaning: 'whether it is a draft',
  }),
})
const people = resource('people', 'conference_people', EXACT_KEYS, id('id', { isPlain: true }), {
  first_name: text('first'),
  last_name: text('last'),
  email: text('email'),
  is_speaker: column<boolean>('flag', ['speaks'], ([value]) => staged(value === true), {
    isNullable: false,
    isPlain: true,
    meaning: 'whether the person speaks',
  }),
})

const [talk, slot, person] = [talks.columns, slots.columns, people.columns]

const agenda = content('agenda', talks, {
  alias: 'talk',
  lookups: {
    slot: { resource: slots, by: talk.slot_id },
    hall: { resource: halls, by: talk.hall_id, dangling: 'location' },
  },
  uniqueId: uniqueId({ column: talks.id }, 'talks.id'),
  fields: {
    name: required(talk.title, 'talks.title'),
    startTime: instant(slot.start_time, 'slots.from', 'The start of the slot, in UTC.'),
    endTime: instant(slot.end_time, 'slots.to', 'The end of the slot, in UTC.'),
    location: optional(halls.columns.name, 'halls.name'),
    speakerIds: references(
      { content: 'speakers', from: talk.speaker_ids },
      'talks.speakers',
      'The speakers in byte order; only those that are synced.',
    ),
  },
  exclude: [
    {
      reason: 'not_published',
      isAttested: true,
      when: ({ at }) => sql`${at(talk.is_draft)}`,
      why: 'It is a draft.',
      todo: 'Publish it.',
      columns: [talk.is_draft],
    },
  ],
  excludeLast: [
    badTime(slot.start_time, slot.end_time, 'the talk', 'Correct the slot.', {
      why: 'The end is not after the start.',
      todo: 'Correct the slot.',
      columns: [slot.start_time, slot.end_time],
    }),
  ],
})

const speakers = content('speakers', people, {
  alias: 'person',
  uniqueId: uniqueId({ column: people.id }, 'people.id', 'The id, as written.'),
  beside: [talks],
  fields: {
    firstName: required(person.first_name, 'people.first'),
    lastName: required(person.last_name, 'people.last'),
    attendeeId: counterpart('attendees', 'people.id', 'The id of the person, if the attendee is synced.', {
      column: people.id,
    }),
  },
  exclude: [
    {
      reason: 'not_a_speaker',
      when: ({ at }) => sql`not ${at(person.is_speaker)}`,
      why: 'The person does not speak.',
      todo: 'Mark the person as a speaker.',
      columns: [person.is_speaker],
    },
  ],
})

const attendees = content('attendees', people, {
  alias: 'person',
  uniqueId: uniqueId({ column: people.id }, 'people.id', 'The id, as written.'),
  fields: {
    firstName: required(person.first_name, 'people.first'),
    lastName: required(person.last_name, 'people.last'),
    emailAddress: required(person.email, 'people.email'),
  },
})

export default defineSource({
  name: 'conference',
  title: 'Conference',
  keys: {},
  resources: [talks, slots, halls, people],
  contents: [agenda, speakers, attendees],
  people: { records: people, address: person.email },
  fillIn: 'Fill it in.',
  connect({ url }) {
    const within = new URL(`${url}/`)
    return {
      within,
      listOf: ({ name }) => name,
      async readToEnd(_, readPage) {
        await readPage(new URL('programme', within), null)
        return { proof: 'unpaged array', declared: null }
      },
    }
  },
})
