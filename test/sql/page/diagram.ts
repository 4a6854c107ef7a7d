import type { Dictionary } from '../../../sql/dictionary.ts'
import { shortType } from './markdown.ts'

type Schema = 'published' | 'staging'

/**
 * The relations between tables for each schema, in the notation of mermaid. The database has no foreign keys,
 * because a record may refer to records that do not exist. Every relation also includes the column
 * `integration_id`.
 */
const RELATIONS: Readonly<Record<Schema, readonly string[]>> = {
  published: [
    'runs.run_id ||--o{ agenda.run_id : latest',
    'runs.run_id ||--o{ speakers.run_id : latest',
    'runs.run_id ||--o{ attendees.run_id : latest',
    'runs.run_id ||--o{ decisions.run_id : latest',
    'runs.run_id ||--o{ changes.run_id : changed',
    'runs.run_id ||--o{ load_results.run_id : sent',
    'agenda.unique_id ||--o{ session_speakers.session_id : has',
    'speakers.unique_id ||--o{ session_speakers.speaker_id : speaks in',
    'agenda.unique_id ||--o{ attendee_sessions.session_id : has',
    'attendees.unique_id ||--o{ attendee_sessions.attendee_id : goes to',
    'attendees.unique_id |o--o| speakers.attendee_id : is',
  ],
  staging: [
    'a_sessions.time_slot_id }o--o| a_time_slots.source_id : is at',
    'a_sessions.room_id }o--o| a_rooms.source_id : is in',
    'a_sessions.track_id }o--o| a_tracks.source_id : belongs to',
    'a_sessions.session_type_id }o--o| a_session_types.source_id : is a',
    'a_sessions.speaker_ids }o--o{ a_users.id : names',
    'a_users.speaking_at }o--o{ a_sessions.source_id : names',
    'b_registrants.reg_type_id }o--o| b_reg_types.source_id : is a',
    'b_registrants.session_ids }o--o{ b_sessions.source_id : goes to',
  ],
}
const RELATION = /^(?<from>\w+)\.(?<of>\w+) (?<kind>\S+) (?<to>\w+)\.(?<by>\w+) : (?<label>.+)$/

/**
 * Columns that refer to an item of any content. The diagram has no line for columns that refer to items of
 * any content.
 */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  decisions: ['content', 'source_id', 'unique_id'],
  changes: ['content', 'unique_id'],
  load_results: ['content', 'unique_id'],
}

/**
 * Draws the tables and views of a schema that refer to each other, with the columns that contain the
 * references.
 *
 * @throws if a table or column does not exist
 */
export function diagramOf({ schemas }: Dictionary, schema: Schema): string {
  const relations = schemas.find(({ name }) => name === schema)?.relations ?? []
  const used = new Map<string, Set<string>>()
  const arrows = RELATIONS[schema].map((relation) => {
    const { from = '', of = '', kind, to = '', by = '', label } = RELATION.exec(relation)?.groups ?? {}
    for (const [table, column] of [
      [from, of],
      [to, by],
    ] as const) {
      const columns = used.get(table) ?? ['integration_id']
      used.set(table, new Set([...columns, column, ...(ALSO[table] ?? [])]))
    }
    return `  ${from} ${kind} ${to} : "${label}"`
  })
  const entities = [...used].map(([table, columns]) => {
    const there = relations.find(({ name }) => name === table)?.columns ?? []
    const lines = [...columns].map((column) => {
      const type = there.find(({ name }) => name === column)?.type
      if (type === undefined) throw new Error(`${schema}.${table} has no column ${column}`)
      return `    ${shortType(type)} ${column}`
    })
    return `  ${table} {\n${lines.join('\n')}\n  }`
  })
  return ['```mermaid', 'erDiagram', ...entities, ...arrows, '```'].join('\n')
}
