import { hash } from 'node:crypto'
import {
  countSeen,
  type Incoming,
  incomingName,
  NOTHING_INCOMING,
  openIncoming,
} from '../../../loaders/staging/incoming.ts'
import type { KnownVersions } from '../../../loaders/staging/known-versions.ts'
import { forgetReading, type SavedReading, saveReading } from '../../../loaders/staging/readings.ts'
import type { SuppressionFilter } from '../../../transforms/rules/people.ts'
import { type RunContext, timestamp } from '../../context/run-context.ts'
import {
  type Ending,
  type PageCursor,
  type Reading,
  type ReadRequest,
  type RecordSink,
  type SourceResource,
  UnfitChangesError,
  UnprovedError,
} from '../../sources/contract/source.ts'
import { pageReader, readToProof } from './page-reader.ts'
import { PARSER_VERSION } from './to-incoming.ts'

/**
 * Interval at which the progress of a reading is saved. Saving takes as long as reading a few hundred
 * records.
 */
const SAVE_EVERY_MS = 1000

/**
 * Reads a resource into its incoming table until its end is proved. Saves the progress regularly.
 *
 * @param saved progress of a run that died, whose incoming table still exists; null to begin with the first
 *   page
 * @param filter keeps forgotten people out; null if nobody was forgotten
 * @param known current versions of records, whose values need not be read again; null if every value must be
 *   read
 * @throws ReadError with the resource and the page
 */
export async function readResource(
  run: RunContext,
  resource: SourceResource,
  saved: SavedReading | null,
  filter: SuppressionFilter | null = null,
  known: KnownVersions | null = null,
): Promise<Reading> {
  const name = incomingName(run.runId, resource.name)
  if (saved !== null && saved.endProof !== null) {
    const { totals, requests, attempts, declared, savedAt: resumedFrom } = saved
    const endProof = saved.endProof as Ending['proof']
    const read = { resource, incoming: name, totals, requests, attempts, declared, endProof, resumedFrom }
    return { ...read, certified: true, detail: '', confirmed: null, changes: null }
  }
  if (saved === null) {
    const key = { integrationId: run.integrationId, runId: run.runId, resource: resource.name }
    await forgetReading(run.database.kysely, key)
  }
  const incoming = await openIncoming(run.database, name, resource, saved?.totals ?? null)
  try {
    return await readUntilProved(run, resource, incoming, saved, filter, known)
  } finally {
    await incoming.close()
  }
}

async function readUntilProved(
  run: RunContext,
  resource: SourceResource,
  incoming: Incoming,
  saved: SavedReading | null,
  filter: SuppressionFilter | null,
  known: KnownVersions | null,
): Promise<Reading> {
  const progress = makeProgress(run, resource, incoming, saved)
  const readPage = pageReader(run, resource, fitOnly(resource, incoming), progress, filter, 0, known)
  try {
    const ending = await readToProof(run.connected.source, resource, {
      readPage(...page) {
        run.at('page asked for')
        return readPage(...page)
      },
      restart: progress.restart,
      save: progress.save,
      from: saved === null || saved.cursor === null ? null : JSON.parse(saved.cursor),
      pages: saved?.requests ?? 0,
      async hasRepeats() {
        await incoming.commit()
        return (await countSeen(run.database.kysely, incoming.table, '')).repeated > 0
      },
    })
    return await progress.end(ending, '')
  } catch (error) {
    if (!(error instanceof UnprovedError)) throw error
    return progress.end(null, error.message)
  }
}

/**
 * Throws an error at a record that cannot be in the answer to a search for changes. A record that does not
 * match the search shows that the source ignored the search.
 */
function fitOnly(resource: SourceResource, incoming: Incoming): RecordSink {
  if (resource.search === undefined || !('changedSince' in resource.search)) return incoming
  const { changedSince } = resource.search
  return {
    ...incoming,
    add(row) {
      const { fault, changedAt = null, isForgotten = false } = row
      if (!isForgotten) {
        if (fault !== null) throw new UnfitChangesError('a record cannot be read')
        if (changedAt === null) throw new UnfitChangesError('a record does not say when it was changed')
        if (changedAt < changedSince)
          throw new UnfitChangesError('it has a record that was changed before that')
      }
      return incoming.add(row)
    },
  }
}

/** Tracks and saves the progress of reading a resource. */
function makeProgress(
  run: RunContext,
  resource: SourceResource,
  incoming: Incoming,
  saved: SavedReading | null,
) {
  const { database, environment, integrationId, runId } = run
  const key = { integrationId, runId, resource: resource.name }
  const shape = shapeOf(run, resource)
  let attempts = saved?.attempts ?? 0
  let resumedFrom = saved?.savedAt ?? null
  let pages = saved?.requests ?? 0
  let unsaved: (ReadRequest & { readonly page: number })[] = []
  let savedMs = environment.monotonic()

  async function write(cursor: PageCursor | null, ending: Ending | null): Promise<void> {
    run.at('records gathered')
    await incoming.commit()
    run.at('records committed')
    const reading = {
      shape,
      cursor: cursor === null ? null : JSON.stringify(cursor),
      totals: incoming.totals(),
      requests: pages,
      attempts,
      endProof: ending?.proof ?? null,
      declared: ending?.declared ?? null,
      savedAt: timestamp(environment),
    }
    await database.transaction(async (transaction) => {
      await saveReading(transaction, key, reading, unsaved)
      run.at('reading written')
    })
    unsaved = []
    savedMs = environment.monotonic()
    run.at('reading saved')
  }

  return {
    attempt() {
      attempts += 1
    },
    read(request: ReadRequest) {
      pages += 1
      unsaved.push({ ...request, page: pages })
      run.at('page read')
    },
    async save(cursor: PageCursor) {
      if (environment.monotonic() - savedMs >= SAVE_EVERY_MS) await write(cursor, null)
    },
    async restart() {
      await incoming.rewind(NOTHING_INCOMING)
      await forgetReading(database.kysely, key)
      pages = 0
      resumedFrom = null
      unsaved = []
    },
    /** Saves that the reading has ended. @returns the complete reading */
    async end(ending: Ending | null, detail: string): Promise<Reading> {
      await write(null, ending)
      return {
        resource,
        incoming: incoming.table,
        totals: incoming.totals(),
        certified: ending !== null,
        requests: pages,
        attempts,
        declared: ending?.declared ?? null,
        endProof: ending?.proof ?? 'none',
        detail,
        confirmed: null,
        resumedFrom,
        changes: null,
      }
    },
  }
}

/**
 * Returns a hash of everything that affects the rows of a resource, such as options and fields. A reading of
 * a dead run is continued only if its hash is the same.
 */
export function shapeOf({ connected, integration }: RunContext, resource: SourceResource): string {
  const { url, eventId } = integration.source
  const parts = [
    PARSER_VERSION,
    connected.source.type,
    url,
    eventId,
    resource.name,
    resource.columns,
    resource.versionInputs,
    resource.keys,
    resource.search ?? null,
  ]
  return hash('sha256', JSON.stringify(parts))
}
