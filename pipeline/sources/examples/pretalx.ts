import {
  badTime,
  column,
  computed,
  content,
  defineSource,
  type Ending,
  EXACT_KEYS,
  HTML,
  id,
  ids,
  instant,
  type Json,
  type JsonObject,
  optional,
  type ReadPage,
  type RecordContext,
  readText,
  readTime,
  references,
  required,
  resource,
  SourceMovedError,
  secret,
  sql,
  staged,
  text,
  time,
  UnprovedError,
  uniqueId,
  url,
  z,
} from 'event-content-sync/source'

/* 1. The resources, which are the lists of the API. */

/** Returns the first place of a session in the released schedule. */
function slotIn(slots: Json | undefined): JsonObject {
  const [first] = Array.isArray(slots) ? slots : []
  return typeof first === 'object' && first !== null && !Array.isArray(first) ? first : {}
}

const submissions = resource('submissions', 'pretalx_submissions', EXACT_KEYS, id('code'), {
  title: text('title'),
  description: column<string | null>('text', ['abstract', 'description'], (values) => {
    const texts = values.flatMap((value) => readText(value).value ?? [])
    return staged(texts.length === 0 ? null : texts.join('\n\n'))
  }),
  ...time('start_time', ['slots'], ([slots], timeZone) => readTime(slotIn(slots).start, timeZone)),
  ...time('end_time', ['slots'], ([slots], timeZone) => readTime(slotIn(slots).end, timeZone)),
  room_id: column<string | null>('id', ['slots'], ([slots]) => staged(readText(slotIn(slots).room).value)),
  track_id: id('track'),
  state: id('state', { meaning: 'confirmed, accepted, withdrawn and so on' }),
  speaker_codes: ids('speakers', ({ code }) => code, { meaning: 'codes of speakers' }),
})

const rooms = resource('rooms', 'pretalx_rooms', EXACT_KEYS, id('id'), { name: text('name') })

const tracks = resource('tracks', 'pretalx_tracks', EXACT_KEYS, id('id'), { name: text('name') })

/** Splits a whole name at its last blank. The result of a name without a blank has no last name. */
function partsOf(name: Json | undefined): readonly [first: string | null, last: string | null] {
  const whole = readText(name).value
  const end = whole?.lastIndexOf(' ') ?? -1
  return whole === null || end < 0 ? [whole, null] : [whole.slice(0, end), whole.slice(end + 1)]
}

const people = resource('speakers', 'pretalx_speakers', EXACT_KEYS, id('code', { isPlain: true }), {
  first_name: column<string | null>('text', ['name'], ([name]) => staged(partsOf(name)[0])),
  last_name: column<string | null>('text', ['name'], ([name]) => staged(partsOf(name)[1])),
  email: text('email', { meaning: 'only organisers see it' }),
  biography: text('biography'),
  picture: url('avatar_url'),
  submission_codes: ids('submissions', ({ code }) => code, { isPlain: true, meaning: 'codes of sessions' }),
})

/* 2. The items that are made from these records. */

const STATES = ['draft', 'submitted', 'accepted', 'confirmed', 'rejected', 'canceled', 'withdrawn'] as const

/** Keys of `source` in event-sync.yaml that only this source has. */
const keys = {
  token: secret().optional().describe('API token; left out: only what pretalx shows to everybody.'),
  language: z.string().default('en').describe('Language of names of rooms and tracks.'),
  states: z
    .array(z.enum(STATES))
    .min(1)
    .default(['confirmed'])
    .describe('States of the sessions that are synced.'),
}

interface Options {
  readonly states: readonly (typeof STATES)[number][]
}

const submission = submissions.columns
const person = people.columns

const agenda = content<Options>('agenda', submissions, {
  alias: 'submission',
  lookups: {
    room: { resource: rooms, by: submission.room_id, dangling: 'location' },
    track: { resource: tracks, by: submission.track_id, dangling: 'sessionTracks' },
  },
  uniqueId: uniqueId({ column: submissions.id }, 'submissions.code', 'The code of the session.'),
  fields: {
    name: required(submission.title, 'submissions.title'),
    startTime: instant(submission.start_time, 'submissions.slots', 'The start of the first slot, in UTC.', {
      missing: {
        why: 'A session needs a start, and this one has no slot in the released schedule.',
        todo: 'Give it a slot in the schedule editor of pretalx, and release the schedule.',
      },
    }),
    endTime: instant(submission.end_time, 'submissions.slots', 'The end of the first slot, in UTC.'),
    description: optional(submission.description, 'submissions.abstract, submissions.description', HTML),
    location: optional(rooms.columns.name, 'rooms.name', 'The name of the room of the first slot.'),
    sessionTracks: computed('tracks.name', 'The name of the track, as a list.', {
      isList: true,
      from: [{ column: tracks.columns.name }],
      value: ({ at }) => sql`case when ${at(tracks.columns.name)} is not null
        then jsonb_build_array(${at(tracks.columns.name)}) end`,
    }),
    speakerIds: references(
      { content: 'speakers', from: submission.speaker_codes },
      'submissions.speakers',
      'The speakers of the session in byte order; only those that are synced.',
    ),
  },
  exclude: [
    {
      reason: 'source_reason:withdrawn',
      isAttested: true,
      when: ({ at, options }) => sql`${at(submission.state)} in ('withdrawn', 'canceled')
        and (${isSynced(at(submission.state), options)}) is not true`,
      why: 'A speaker withdrew the session, or the organisers cancelled it.',
      todo: 'Nothing, if that is right; otherwise change its state in pretalx.',
      columns: [submission.state],
    },
    {
      reason: 'not_published',
      isAttested: true,
      when: ({ at, options }) => sql`(${isSynced(at(submission.state), options)}) is not true`,
      explanation: (_, { states }) => ({
        why: `The state of the session is not ${states.join(' or ')} (source.states).`,
        todo: 'Confirm the session in pretalx, or name its state in source.states.',
        columns: [submission.state],
      }),
    },
  ],
  excludeLast: [
    badTime(submission.start_time, submission.end_time, 'the slot', 'Correct the slot in pretalx.', {
      why: 'The end of the slot is not after its start.',
      todo: 'Correct the slot in pretalx.',
      columns: [submission.start_time, submission.end_time],
    }),
  ],
})

/** Makes the SQL condition that sessions with this state are synced. */
function isSynced(state: ReturnType<typeof sql>, { states }: Options) {
  return sql`${state} in (${sql.join(states)})`
}

const speakers = content<Options>('speakers', people, {
  alias: 'person',
  beside: [submissions],
  uniqueId: uniqueId({ column: people.id }, 'speakers.code', 'The code of the speaker.'),
  fields: {
    firstName: required(person.first_name, 'speakers.name'),
    lastName: required(person.last_name, 'speakers.name', {
      why: 'A speaker needs a first and a last name, and the name in pretalx is one word.',
      todo: 'Ask the speaker for the whole name, and write it into the profile in pretalx.',
    }),
    description: optional(person.biography, 'speakers.biography', HTML),
    imageUrl: optional(person.picture, 'speakers.avatar_url'),
    sessionIds: references(
      { content: 'agenda', from: person.submission_codes, namedBy: { column: submission.speaker_codes } },
      'speakers.submissions',
      'The sessions of the speaker in byte order; only those that are synced.',
    ),
  },
  exclude: [
    {
      reason: 'not_a_speaker',
      when: ({ at, options, integrationId }: RecordContext<Options>) => sql`not exists (
        select from staging.pretalx_submissions as named
        where named.integration_id = ${integrationId}
          and named.valid_to_run is null
          and named.source_id = any(${at(person.submission_codes)})
          and ${isSynced(sql`named.state`, options)}
      )`,
      explanation: (_, { states }) => ({
        why: `The person has no session with the state ${states.join(' or ')} (source.states).`,
        todo: 'Nothing, if that is right; otherwise confirm a session of the person in pretalx.',
        columns: [person.submission_codes],
      }),
    },
  ],
})

/* 3. How the source is read: page by page, until as many records were read as each page declares. */

/** @throws SourceMovedError if the number of records changed; the product then reads the list again */
async function readPages(urlOf: (page: number) => URL, readPage: ReadPage): Promise<Ending> {
  let read = 0
  let declared: number | null = null
  for (let number = 1; ; number += 1) {
    const { elements, said } = await readPage(urlOf(number), null)
    if (said.records === null) throw new UnprovedError('the answer has no count')
    if (declared !== null && said.records !== declared)
      throw new SourceMovedError(`the count changed from ${declared} to ${said.records}`)
    declared = said.records
    read += elements
    if (said.next === null || elements === 0) break
  }
  if (read !== declared) throw new SourceMovedError(`${read} records were read, but ${declared} are declared`)
  return { proof: 'total met', declared }
}

export default defineSource({
  name: 'pretalx',
  title: 'pretalx',
  keys,
  secrets: ['token'],
  resources: [submissions, rooms, tracks, people],
  contents: [agenda, speakers],
  people: { records: people, address: person.email },
  fillIn: 'Fill it in in pretalx.',
  connect({ url, eventId, language, token }, secret) {
    const within = new URL(`${url}/api/events/${encodeURIComponent(eventId)}/`)
    const headers: Record<string, string> =
      token === undefined ? {} : { Authorization: `Token ${secret('token')}` }
    return {
      within,
      listOf: () => 'results',
      authorization: async () => headers,
      readToEnd({ name }, readPage) {
        const urlOf = (page: number) => {
          const address = new URL(`${name}/`, within)
          address.searchParams.set('lang', language)
          address.searchParams.set('page', String(page))
          if (name === 'submissions') address.searchParams.set('expand', 'slots')
          return address
        }
        return readPages(urlOf, readPage)
      },
    }
  },
})
