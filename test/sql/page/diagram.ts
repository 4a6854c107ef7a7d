import type { Dictionary } from '../../../sql/dictionary.ts'
import { shortType } from './markdown.ts'

type Schema = 'published' | 'staging'

interface Relation {
  /** Table and the columns that lead to the other; integration_id always belongs to them. */
  readonly from: readonly [string, ...string[]]
  /** Crow's feet as mermaid writes them. */
  readonly kind: string
  readonly to: readonly [string, ...string[]]
  readonly label: string
}

/** What leads where: the database has no foreign keys, since a record may name others that are not there. */
const RELATIONS: Readonly<Record<Schema, readonly Relation[]>> = {
  published: [
    { from: ['runs', 'run_id'], kind: '||--o{', to: ['agenda', 'run_id'], label: 'latest' },
    { from: ['runs', 'run_id'], kind: '||--o{', to: ['speakers', 'run_id'], label: 'latest' },
    { from: ['runs', 'run_id'], kind: '||--o{', to: ['attendees', 'run_id'], label: 'latest' },
    { from: ['runs', 'run_id'], kind: '||--o{', to: ['decisions', 'run_id'], label: 'latest' },
    { from: ['runs', 'run_id'], kind: '||--o{', to: ['changes', 'run_id'], label: 'changed' },
    { from: ['runs', 'run_id'], kind: '||--o{', to: ['load_results', 'run_id'], label: 'sent' },
    { from: ['agenda', 'unique_id'], kind: '||--o{', to: ['session_speakers', 'session_id'], label: 'has' },
    {
      from: ['speakers', 'unique_id'],
      kind: '||--o{',
      to: ['session_speakers', 'speaker_id'],
      label: 'speaks in',
    },
    { from: ['agenda', 'unique_id'], kind: '||--o{', to: ['attendee_sessions', 'session_id'], label: 'has' },
    {
      from: ['attendees', 'unique_id'],
      kind: '||--o{',
      to: ['attendee_sessions', 'attendee_id'],
      label: 'goes to',
    },
    { from: ['attendees', 'unique_id'], kind: '|o--o|', to: ['speakers', 'attendee_id'], label: 'is' },
  ],
  staging: [
    {
      from: ['a_sessions', 'time_slot_id'],
      kind: '}o--o|',
      to: ['a_time_slots', 'source_id'],
      label: 'is at',
    },
    { from: ['a_sessions', 'room_id'], kind: '}o--o|', to: ['a_rooms', 'source_id'], label: 'is in' },
    { from: ['a_sessions', 'track_id'], kind: '}o--o|', to: ['a_tracks', 'source_id'], label: 'belongs to' },
    {
      from: ['a_sessions', 'session_type_id'],
      kind: '}o--o|',
      to: ['a_session_types', 'source_id'],
      label: 'is a',
    },
    { from: ['a_sessions', 'speaker_ids'], kind: '}o--o{', to: ['a_users', 'id'], label: 'names' },
    { from: ['a_users', 'speaking_at'], kind: '}o--o{', to: ['a_sessions', 'source_id'], label: 'names' },
    {
      from: ['b_registrants', 'reg_type_id'],
      kind: '}o--o|',
      to: ['b_reg_types', 'source_id'],
      label: 'is a',
    },
    {
      from: ['b_registrants', 'session_ids'],
      kind: '}o--o{',
      to: ['b_sessions', 'source_id'],
      label: 'goes to',
    },
  ],
}

/** Columns that lead to an item of any content, by which no line is drawn. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  decisions: ['content', 'source_id', 'unique_id'],
  changes: ['content', 'unique_id'],
  load_results: ['content', 'unique_id'],
}

/**
 * The tables and views of a schema that lead to each other, with the columns by which they do.
 *
 * @throws where a table or column is not there
 */
export function diagramOf({ schemas }: Dictionary, schema: Schema): string {
  const relations = schemas.find(({ name }) => name === schema)?.relations ?? []
  const used = new Map<string, Set<string>>()
  for (const { from, to } of RELATIONS[schema]) {
    for (const [table, ...columns] of [from, to]) {
      used.set(
        table,
        new Set([...(used.get(table) ?? ['integration_id']), ...columns, ...(ALSO[table] ?? [])]),
      )
    }
  }
  const entities = [...used].map(([table, columns]) => {
    const there = relations.find(({ name }) => name === table)?.columns ?? []
    const lines = [...columns].map((column) => {
      const type = there.find(({ name }) => name === column)?.type
      if (type === undefined) throw new Error(`${schema}.${table} has no column ${column}`)
      return `    ${shortType(type)} ${column}`
    })
    return `  ${table} {\n${lines.join('\n')}\n  }`
  })
  const arrows = RELATIONS[schema].map(
    ({ from, kind, to, label }) => `  ${from[0]} ${kind} ${to[0]} : "${label}"`,
  )
  return ['```mermaid', 'erDiagram', ...entities, ...arrows, '```'].join('\n')
}
