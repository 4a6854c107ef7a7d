import type { Kysely } from 'kysely'
import type { Content, Fields, Tables } from '../../sql/tables.ts'
import type { SourceTransform } from '../../transforms/declare/source.ts'
import { makeDesired } from '../../transforms/registry/desired.ts'
import { type Engine, engines } from './engines.ts'
import { openMemory } from './memory.ts'
import { INTEGRATION, insertStaged, runId, type StagedRows } from './staged.ts'
import { takenBack, useDatabase } from './use-database.ts'

export const ALL_CONTENTS: readonly Content[] = ['agenda', 'speakers', 'attendees']

/** What became of one record for a content. */
export interface Decided {
  readonly uniqueId: string | null
  /** Null where the record is synced. */
  readonly reason: string | null
}

/** A verdict by source id. */
export type Verdicts = Readonly<Record<string, Decided>>

/** Reasons by source id, as the tests of a core write them: null where the record is synced. */
export type Reasons = Readonly<Record<string, string | null>>

/** Who says what becomes of a record: the core alone on pg-mem, or the whole transform on a real engine. */
export const judges = ['pg-mem', ...engines] as const
export type Judge = (typeof judges)[number]

/** Asks a judge about the records of one content. */
export function useJudge<Options>(
  judge: Judge,
  transform: SourceTransform<Options>,
  content: Content,
): (rows: StagedRows, options: Options) => Promise<Verdicts> {
  const scopeOf = (options: Options) => ({ integrationId: INTEGRATION, contents: ALL_CONTENTS, options })
  if (judge === 'pg-mem') {
    return async (rows, options) => {
      const memory = openMemory()
      await insertStaged(memory, rows)
      await nameSpeakers(memory, rows)
      const made = transform.contents.find((one) => one.content === content)
      if (made === undefined) throw new Error(`the source has no ${content}`)
      const decisions = await memory
        .selectFrom(made.decisions(memory, scopeOf(options)).as('made'))
        .selectAll()
        .execute()
      return Object.fromEntries(
        decisions.map(({ source_id, unique_id, reason }) => [source_id, { uniqueId: unique_id, reason }]),
      )
    }
  }
  const decide = useTransform(judge, transform)
  return async (rows, options) => {
    const { decisions } = await decide(rows, options)
    return Object.fromEntries(
      decisions
        .filter((decision) => decision.content === content)
        .map(({ sourceId, uniqueId, reason }) => [sourceId, { uniqueId, reason }]),
    )
  }
}

/** The reasons of verdicts alone. */
export function reasonsOf(decisions: Verdicts): Reasons {
  return Object.fromEntries(Object.entries(decisions).map(([sourceId, { reason }]) => [sourceId, reason]))
}

/** What makeDesired does first, and pg-mem cannot. */
async function nameSpeakers(memory: Kysely<Tables>, rows: StagedRows): Promise<void> {
  const named = (rows['staging.a_sessions'] ?? [])
    .filter(({ integration_id = INTEGRATION, valid_to_run = null }) => {
      return integration_id === INTEGRATION && valid_to_run === null
    })
    .flatMap(({ source_id, speaker_ids = [] }) =>
      speaker_ids.map((user_id) => ({ session_id: source_id, user_id })),
    )
  if (named.length > 0) await memory.insertInto('session_speakers').values(named).execute()
}

/** Everything that a transform makes of staged rows. */
export interface Outcome {
  readonly decisions: readonly (Decided & {
    readonly content: Content
    readonly resource: string
    readonly sourceId: string
    readonly detail: string
  })[]
  /** Platform fields by unique ID, of each content. */
  readonly items: Readonly<Record<Content, Readonly<Record<string, Fields>>>>
  /** Details by source id, of each content. */
  readonly details: Readonly<Record<Content, Readonly<Record<string, string>>>>
}

/** Runs a transform over staged rows on a real engine, and takes everything back. */
export function useTransform<Options>(
  engine: Engine,
  transform: SourceTransform<Options>,
): (rows: StagedRows, options: Options, contents?: readonly Content[]) => Promise<Outcome> {
  const database = useDatabase(engine)
  return (rows, options, contents = ALL_CONTENTS) =>
    takenBack(database(), async (transaction) => {
      await insertStaged(transaction, rows)
      const scope = { integrationId: INTEGRATION, contents, options }
      await makeDesired(transaction, transform, scope, runId(1), true)
      const decisions = await transaction
        .selectFrom('sync.decisions')
        .where('integration_id', '=', INTEGRATION)
        .orderBy('content')
        .orderBy('source_id')
        .selectAll()
        .execute()
      const items = await transaction
        .selectFrom('sync.desired_items')
        .where('integration_id', '=', INTEGRATION)
        .selectAll()
        .execute()
      const itemsOf = (content: Content) =>
        Object.fromEntries(
          items
            .filter((item) => item.content === content)
            .map(({ unique_id, fields }) => [unique_id, fields]),
        )
      const detailsOf = (content: Content) =>
        Object.fromEntries(
          decisions
            .filter((row) => row.content === content)
            .map(({ source_id, detail }) => [source_id, detail]),
        )
      return {
        decisions: decisions.map((row) => ({
          content: row.content,
          resource: row.resource,
          sourceId: row.source_id,
          uniqueId: row.unique_id,
          reason: row.decision === 'synced' && row.reason === '' ? null : row.reason,
          detail: row.detail,
        })),
        items: { agenda: itemsOf('agenda'), speakers: itemsOf('speakers'), attendees: itemsOf('attendees') },
        details: {
          agenda: detailsOf('agenda'),
          speakers: detailsOf('speakers'),
          attendees: detailsOf('attendees'),
        },
      }
    })
}
