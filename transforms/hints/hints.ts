import { type RawBuilder, sql } from 'kysely'
import { type Content, type Db, HINT_NAMES, type HintName, type RunKey } from '../../sql/tables.ts'
import { versionsAsOf } from '../history/as-of.ts'

interface Hint {
  /** Contents that the run must have synced. Otherwise every item would be reported. */
  readonly needs: readonly Content[]
  /** Content of the reported items. */
  readonly content: Content
  /** What the organiser can do; a sentence. */
  readonly todo: string
  /**
   * Makes a query of the reported items, with `id`, `fields` of the item and `why`, a sentence. It names sessions only.
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

/** An instant has 20 characters, such as `2031-05-04T09:00:00Z`, so that a text of it and a title sorts by time. */
const INSTANT = sql.lit(20)

/**
 * Pairs each session with an earlier one that still goes on in the same group: the one that ends last.
 *
 * @param all query with `key`, `id`, `fields`, `title`, `starts` and `ends`
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

/** Conditions that may be right, but often are mistakes of an organiser. They hold nothing back. */
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
    query: (sessions) =>
      sql`select id, fields, 'It has no speaker.' as why from (${sessions}) as session
        where jsonb_array_length(coalesce(fields -> 'speakerIds', '[]')) = 0`,
  },
  speakersWithoutSession: {
    needs: ['agenda', 'speakers'],
    content: 'speakers',
    todo: 'Name the speaker in a session at the source, if there is one.',
    query: (_, speakers) =>
      sql`select id, fields, 'No session names the speaker.' as why from (${speakers}) as speaker
        where jsonb_array_length(coalesce(fields -> 'sessionIds', '[]')) = 0`,
  },
}

/** Returns the hints that apply to a run, without those that its configuration switches off. */
export function hintsOf(contents: readonly Content[], silenced: readonly HintName[]): readonly HintName[] {
  return HINT_NAMES.filter(
    (name) => !silenced.includes(name) && HINTS[name].needs.every((content) => contents.includes(content)),
  )
}

/** An item that a hint is about. */
export interface Hinted {
  readonly content: Content
  readonly id: string
  readonly fields: HintedRow['fields']
  readonly why: string
}

/** Finds the items that a hint is about among those that the platform should have after a run, sorted by ID. */
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
