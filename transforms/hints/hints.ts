import { type RawBuilder, sql } from 'kysely'
import { type Content, type Db, HINT_NAMES, type HintName, type RunKey } from '../../sql/tables.ts'
import { versionsAsOf } from '../history/as-of.ts'

interface Hint {
  /**
   * Contents that the run must have synced for this hint. If a needed content were not synced, the hint would
   * report every item.
   */
  readonly needs: readonly Content[]
  /** Content of the items that the hint reports. */
  readonly content: Content
  /** A sentence about what the organiser can do. */
  readonly todo: string
  /**
   * Makes an SQL query of the reported items. The query has the columns `id`, `fields` (of the item) and
   * `why` (a sentence). The sentence may name sessions, but no people.
   *
   * @param sessions query of agenda items with `id`, `fields`, `title`, `room`, `starts` and `ends`
   * @param speakers query of speakers with `id` and `fields`
   */
  readonly query: (sessions: RawBuilder<unknown>, speakers: RawBuilder<unknown>) => RawBuilder<HintedRow>
}

interface HintedRow {
  readonly id: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly why: string
  readonly total: string
}

/**
 * Length of an instant as text, such as `2031-05-04T09:00:00Z`. A text made of an instant and a title
 * therefore sorts by time.
 */
const INSTANT = sql.lit(20)

/**
 * Pairs each session with an earlier session of the same group that has not ended yet. If several sessions
 * have not ended, the pair has the session that ends last.
 *
 * @param all SQL query with the columns `key` (the group), `id`, `fields`, `title`, `starts` and `ends`
 */
function overlaps(all: RawBuilder<unknown>, why: RawBuilder<string>): RawBuilder<HintedRow> {
  return sql`
    select id, fields, ${why} as why
    from (
      select *, max(ends || title collate "C") over (
        partition by key order by starts, session_id
        rows between unbounded preceding and 1 preceding
      ) as before
      from (${all}) as slot
    ) as slot
    where left(before, ${INSTANT}) > starts collate "C"`
}

/**
 * Conditions in the programme that may be intended, but are often mistakes of an organiser. They hold nothing
 * back.
 */
const HINTS: Readonly<Record<HintName, Hint>> = {
  doubleBookedRooms: {
    needs: ['agenda'],
    content: 'agenda',
    todo: 'Give one of the two sessions another room or time at the source, if only one can take place there.',
    query: (sessions) =>
      overlaps(
        sql`select room as key, id as session_id, * from (${sessions}) as session where room is not null`,
        sql`'It starts in ' || key || ' while "' || substr(before, ${INSTANT} + 1) || '" still goes on there.'`,
      ),
  },
  doubleBookedSpeakers: {
    needs: ['agenda', 'speakers'],
    content: 'speakers',
    todo: 'Give one of the two sessions another time or speaker at the source, if the speaker cannot be in both.',
    query: (sessions, speakers) =>
      overlaps(
        sql`select speaker.id as key, session.id as session_id, speaker.id, speaker.fields, session.title, session.starts, session.ends
          from (${sessions}) as session
          cross join lateral jsonb_array_elements_text(coalesce(session.fields -> 'speakerIds', '[]')) as named (id)
          join (${speakers}) as speaker on speaker.id = named.id`,
        sql`'"' || title || '" starts while "' || substr(before, ${INSTANT} + 1) || '" still goes on.'`,
      ),
  },
  sessionsWithoutRoom: {
    needs: ['agenda'],
    content: 'agenda',
    todo: 'Give the session a room at the source, if it has one.',
    query: (sessions) =>
      sql`select id, fields, 'It has no room.' as why from (${sessions}) as session where room is null`,
  },
  sessionsWithoutSpeaker: {
    needs: ['agenda', 'speakers'],
    content: 'agenda',
    todo: 'Name the speakers of the session at the source, if it has some.',
    query: (sessions, speakers) =>
      sql`select id, fields, 'It has no speaker.' as why from (${sessions}) as session
        where jsonb_array_length(coalesce(fields -> 'speakerIds', '[]')) = 0
          and ${isNamedByNone(sql`session.id`, speakers, 'sessionIds')}`,
  },
  speakersWithoutSession: {
    needs: ['agenda', 'speakers'],
    content: 'speakers',
    todo: 'Name the speaker in a session at the source, if there is one.',
    query: (sessions, speakers) =>
      sql`select id, fields, 'No session names the speaker.' as why from (${speakers}) as speaker
        where jsonb_array_length(coalesce(fields -> 'sessionIds', '[]')) = 0
          and ${isNamedByNone(sql`speaker.id`, sessions, 'speakerIds')}`,
  },
}

/**
 * Makes the condition that no item of the other content names an id. A source may state only in one of both
 * contents who speaks where.
 */
function isNamedByNone(id: RawBuilder<unknown>, others: RawBuilder<unknown>, field: string) {
  return sql`not exists (
    select from (${others}) as other
    cross join lateral jsonb_array_elements_text(coalesce(other.fields -> ${sql.lit(field)}, '[]')) as named (id)
    where named.id = ${id}
  )`
}

/** Returns the hints that can be given for a run. Hints that the configuration switches off are left out. */
export function hintsOf(contents: readonly Content[], silenced: readonly HintName[]): readonly HintName[] {
  return HINT_NAMES.filter(
    (name) => !silenced.includes(name) && HINTS[name].needs.every((content) => contents.includes(content)),
  )
}

/** An item to which a hint applies. */
export interface Hinted {
  readonly content: Content
  readonly id: string
  readonly fields: HintedRow['fields']
  readonly why: string
}

/**
 * Finds the items to which a hint applies, sorted by ID, among the items that the platform should have after
 * a run.
 */
export async function findHinted(
  db: Db,
  run: RunKey,
  name: HintName,
  limit: number,
): Promise<{ readonly rows: readonly Hinted[]; readonly total: number; readonly todo: string }> {
  const { content, query, todo } = HINTS[name]
  const items = (of: Content) =>
    versionsAsOf(db, 'sync.desired_items', run)
      .$call((versions) => db.selectFrom(versions.as('item')))
      .where('item.content', '=', of)
  const sessions = items('agenda').select([
    'item.unique_id as id',
    'item.fields',
    sql`item.fields ->> 'name'`.as('title'),
    sql`item.fields ->> 'location'`.as('room'),
    sql`item.fields ->> 'startTime'`.as('starts'),
    sql`item.fields ->> 'endTime'`.as('ends'),
  ])
  const speakers = items('speakers').select(['item.unique_id as id', 'item.fields'])
  const found = query(sql`${sessions}`, sql`${speakers}`)
  const { rows } = await sql<HintedRow>`
    select id, fields, why, count(*) over () as total from (${found}) as hinted
    order by id collate "C", why collate "C" limit ${limit}`.execute(db)
  return {
    rows: rows.map(({ id, fields, why }) => ({ content, id, fields, why })),
    total: Number(rows[0]?.total ?? 0),
    todo: `${todo} To silence this hint: hints: {${name}: off}.`,
  }
}
