import { sql } from 'kysely'
import { content } from '../declare/content.ts'
import { counterpart, HTML, optional, references, required, SIGNED, uniqueId } from '../declare/field.ts'
import type { RecordContext } from '../declare/resource.ts'
import { foldTitle } from '../rules/one-to-one.ts'
import type { OptionsA } from './options.ts'
import { sessions, sessionTypes, users, VISIBLE } from './resources.ts'

const user = users.columns
const ownId = { column: users.id, key: 'Id' }
const PAGE =
  'A URL stays unchanged. A host with a path gets https:// in front. A handle becomes the address of its page. Any other value is left out.'

export const speakers = content<OptionsA>('speakers', users, {
  alias: 'user',
  unique: user.id,
  // Session types are needed because their titles determine which sessions are 1:1 meetings.
  beside: [sessionTypes],
  uniqueId: uniqueId(
    ownId,
    '2.3.9',
    'The id of the user, with all digits as the source writes them. A user without an id is not a speaker.',
    {
      isMissing: ({ at }) => sql`${at(user.id)} is null`,
      missing: {
        why: 'A speaker needs an id, and the source gives this user none; only attendees can use the e-mail address instead.',
        todo: `Find out at the source why the user has no Id; ${VISIBLE}.`,
        columns: [user.id],
      },
    },
  ),
  fields: {
    firstName: required(user.first_name, '2.3.1'),
    lastName: required(user.last_name, '2.3.2'),
    title: optional(user.title, '2.3.3'),
    company: optional(user.company, '2.3.4'),
    description: optional(user.biography, '2.3.5', HTML),
    imageUrl: optional(
      user.photo_link,
      '2.3.6',
      `The address, if it begins with http:// or https://; otherwise the field is left out. ${SIGNED}`,
    ),
    sessionIds: references(
      {
        content: 'agenda',
        from: user.speaking_at,
        namedBy: { column: sessions.columns.speaker_ids, key: 'Speakers' },
        compose: ({ at }, alias) => sql`array(
          select named.id collate "C"
          from (
            select unnest(${at(user.speaking_at)}) as id
            union
            select session_id from session_speakers where session_speakers.user_id = ${sql.ref(`${alias}.unique_id`)}
          ) as named
          order by 1
        )`,
      },
      '2.3.7',
      'The ids of all synced sessions that the user names or that name the user, in byte order.',
    ),
    attendeeId: counterpart(
      'attendees',
      '2.3.8',
      'The id of the user, if the attendee with this id is synced; otherwise the field is left out.',
      ownId,
    ),
    facebookUrl: optional(user.facebook_url, '2.3.10', PAGE),
    linkedinUrl: optional(user.linkedin_url, '2.3.11', PAGE),
  },
  exclude: [
    {
      reason: 'not_a_speaker',
      when: (context) => sql`(${isSpeaker(context)}) is not true`,
      explanation: (_, { speakers: by }) => NO_SPEAKER[by],
    },
    {
      reason: 'not_published',
      isAttested: true,
      when({ at, options }) {
        const isPending = sql`${at(user.is_pending)} = true`
        return options.includePending ? null : isPending
      },
      why: 'The user is still pending at the source, and so not a speaker yet.',
      todo: 'Confirm the user at the source, or let pending users be speakers with source.includePending.',
      columns: [user.is_pending],
    },
  ],
})

function isSpeaker({ at, options, integrationId }: RecordContext<OptionsA>) {
  const meetings = oneToOneMeetings(options, integrationId)
  const counts = (session: string) => sql`${sql.ref(session)} not in (${meetings})`
  const listed = sql`exists (
      select
      from unnest(${at(user.speaking_at)}) as named (id)
      where ${counts('named.id')}
    )
    or ${at(user.id)} in (select user_id from session_speakers where ${counts('session_id')})`
  const role = sql`${at(user.has_speaker_role)} = true`
  return { listed, role, both: sql`(${listed}) and ${role}` }[options.speakers]
}

/** Selects the ids of the 1:1 meetings among the sessions that were read. */
function oneToOneMeetings({ oneToOneTypes }: OptionsA, integrationId: string) {
  if (oneToOneTypes.length === 0) return sql`select null where false`
  const [session, type] = [sessions.columns, sessionTypes.columns]
  return sql`select session.source_id
    from ${sql.table(sessions.table)} as session
    join ${sql.table(sessionTypes.table)} as type
      on type.integration_id = session.integration_id
      and type.source_id = session.${sql.ref(session.session_type_id.name)}
      and type.valid_to_run is null
    where session.integration_id = ${integrationId}
      and session.valid_to_run is null
      and type.${sql.ref(type.title_folded.name)} in (${sql.join(oneToOneTypes.map(foldTitle))})`
}

const NO_SPEAKER = {
  listed: {
    why: 'The user names no session in SpeakingAt, and no session that was read names the user in Speakers; 1:1 meetings do not count.',
    todo: 'If the user speaks, name the user as a speaker of the session at the source.',
    columns: [user.speaking_at],
  },
  role: {
    why: 'The Roles of the user do not name Speaker, which source.speakers: role asks for.',
    todo: 'If the user speaks, give the user the role Speaker at the source.',
    columns: [user.has_speaker_role],
  },
  both: {
    why: 'The user lacks the role Speaker or a session that names the user; source.speakers: both asks for the two.',
    todo: 'If the user speaks, give the user both at the source.',
    columns: [user.has_speaker_role, user.speaking_at],
  },
}
