import {
  badTime,
  column,
  computed,
  content,
  defineSource,
  EXACT_KEYS,
  HTML,
  id,
  ids,
  instant,
  type Json,
  type JsonObject,
  optional,
  type RecordContext,
  readSocialUrl,
  readTime,
  readTwitter,
  references,
  required,
  resource,
  sql,
  staged,
  text,
  time,
  uniqueId,
  url,
  z,
} from 'event-content-sync/source'

/* 1. The resources: one resource for each list of the answer. */

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the URL of the first link of this kind, for example `LinkedIn`. */
function linkOf(links: Json | undefined, kind: string): Json | undefined {
  const all: readonly Json[] = Array.isArray(links) ? links : []
  return all.filter(isObject).find(({ linkType }) => linkType === kind)?.url
}

const sessions = resource('sessions', 'sessionize_sessions', EXACT_KEYS, id('id'), {
  title: text('title'),
  description: text('description', { meaning: 'text as received' }),
  ...time('start_time', ['startsAt'], ([value], timeZone) => readTime(value, timeZone)),
  ...time('end_time', ['endsAt'], ([value], timeZone) => readTime(value, timeZone)),
  room_id: id('roomId'),
  category_items: ids('categoryItems', ({ id }) => id, { meaning: 'ids of items of categories' }),
  speaker_ids: ids('speakers', ({ id }) => id, { meaning: 'ids of speakers' }),
  status: text('status', { meaning: 'null for breaks and the like' }),
  is_service_session: column<boolean>('flag', ['isServiceSession'], ([value]) => staged(value === true), {
    isNullable: false,
    meaning: 'whether it is a break, a meal or the like',
  }),
})

const rooms = resource('rooms', 'sessionize_rooms', EXACT_KEYS, id('id'), { name: text('name') })

const categories = resource('categories', 'sessionize_categories', EXACT_KEYS, id('id'), {
  title: text('title', { meaning: 'its items are in doc' }),
})

const people = resource('speakers', 'sessionize_speakers', EXACT_KEYS, id('id', { isPlain: true }), {
  first_name: text('firstName'),
  last_name: text('lastName'),
  tag_line: text('tagLine'),
  bio: text('bio'),
  picture: url('profilePicture'),
  twitter: column<string | null>('text', ['links'], ([links]) => {
    const { value, warning } = readTwitter(linkOf(links, 'Twitter'))
    return staged(value, warning)
  }),
  linkedin: column<string | null>('text', ['links'], ([links]) => {
    const { value, warning } = readSocialUrl(linkOf(links, 'LinkedIn'), 'linkedin')
    return staged(value, warning)
  }),
  session_ids: ids('sessions', ({ id }) => id, { isPlain: true, meaning: 'ids of sessions' }),
})

/* 2. What they become. */

/** Keys of the block `source` in event-sync.yaml that only this source has. */
const keys = {
  trackCategory: z.string().default('Track').describe('Title of the category whose items are tracks.'),
  serviceSessions: z
    .enum(['keep', 'exclude'])
    .default('exclude')
    .describe('Whether breaks, meals and the like are synced.'),
}
interface Options {
  readonly trackCategory: string
  readonly serviceSessions: 'keep' | 'exclude'
}

const session = sessions.columns
const person = people.columns

const agenda = content<Options>('agenda', sessions, {
  alias: 'session',
  lookups: { room: { resource: rooms, by: session.room_id, dangling: 'location' } },
  beside: [categories],
  uniqueId: uniqueId({ column: sessions.id }, 'sessions.id'),
  fields: {
    name: required(session.title, 'sessions.title'),
    startTime: instant(session.start_time, 'sessions.startsAt', 'The start, in UTC.'),
    endTime: instant(session.end_time, 'sessions.endsAt', 'The end, in UTC.'),
    description: optional(session.description, 'sessions.description', HTML),
    location: optional(rooms.columns.name, 'rooms.name', "The name of the session's room."),
    sessionTracks: computed('categories', 'Items of the category of tracks that the session has.', {
      isList: true,
      from: [{ column: session.category_items }],
      value: ({ at, options, integrationId }: RecordContext<Options>) => sql`(
        select jsonb_agg(item ->> 'name' order by item ->> 'name')
        from staging.sessionize_categories as category, jsonb_array_elements(category.doc -> 'items') as item
        where category.integration_id = ${integrationId}
          and category.valid_to_run is null
          and category.title = ${options.trackCategory}
          and item ->> 'id' = any(${at(session.category_items)})
      )`,
    }),
    speakerIds: references(
      { content: 'speakers', from: session.speaker_ids },
      'sessions.speakers',
      'The speakers of the session in byte order; only those that are synced.',
    ),
  },
  exclude: [
    {
      reason: 'not_published',
      isAttested: true,
      when: ({ at, options }) =>
        options.serviceSessions === 'exclude'
          ? sql`${at(session.is_service_session)} or lower(${at(session.status)}) <> 'accepted'`
          : sql`lower(${at(session.status)}) <> 'accepted'`,
      why: 'It is a break or the like, or it is not accepted.',
      todo: 'Accept it in Sessionize; breaks are synced with source.serviceSessions: keep.',
      columns: [session.is_service_session, session.status],
    },
  ],
  excludeLast: [
    badTime(session.start_time, session.end_time, 'the session', 'Correct it, or set source.timeZone.', {
      why: 'The end is not after the start.',
      todo: 'Correct the times in Sessionize.',
      columns: [session.start_time, session.end_time],
    }),
  ],
})

const speakers = content<Options>('speakers', people, {
  alias: 'person',
  uniqueId: uniqueId({ column: people.id }, 'speakers.id', 'The id, as written.'),
  fields: {
    firstName: required(person.first_name, 'speakers.firstName'),
    lastName: required(person.last_name, 'speakers.lastName'),
    title: optional(person.tag_line, 'speakers.tagLine'),
    description: optional(person.bio, 'speakers.bio', HTML),
    imageUrl: optional(person.picture, 'speakers.profilePicture'),
    sessionIds: references(
      { content: 'agenda', from: person.session_ids, namedBy: { column: session.speaker_ids } },
      'speakers.sessions',
      'Sessions of the speaker in byte order; only those that are synced.',
    ),
    linkedinUrl: optional(person.linkedin, 'speakers.links'),
    twitter: optional(person.twitter, 'speakers.links'),
  },
})

/* 3. How the source is read: one answer contains every list under its own key. */

export default defineSource({
  name: 'sessionize',
  title: 'Sessionize',
  keys,
  resources: [sessions, rooms, categories, people],
  contents: [agenda, speakers],
  people: { records: people, address: null },
  fillIn: 'Fill it in in Sessionize.',
  connect({ url, eventId }) {
    const within = new URL(`${url}/api/v2/${encodeURIComponent(eventId)}/view/`)
    return {
      within,
      listOf: ({ name }) => name,
      async readToEnd(_, readPage) {
        await readPage(new URL('All', within), null)
        return { proof: 'unpaged array', declared: null }
      },
    }
  },
})
