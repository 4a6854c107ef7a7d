import { createHash } from 'node:crypto'
import {
  type Incoming,
  incomingName,
  NOTHING_INCOMING,
  openIncoming,
} from '../../loaders/staging/incoming.ts'
import { forgetReading, type SavedReading, saveReading } from '../../loaders/staging/readings.ts'
import type { Sieve } from '../../transforms/rules/forgotten.ts'
import { type RunContext, timestamp } from '../run-context.ts'
import type { Reading, ReadRequest } from './certificate.ts'
import { pageReader } from './page-reader.ts'
import { readToProof } from './read-to-proof.ts'
import { type Ending, type Place, type Resource, SourceMovedError } from './source.ts'
import { DOOR_VERSION } from './to-incoming.ts'

/** Where reading stands is saved this often: each time costs about as much as reading a few hundred records. */
const SAVE_EVERY_MS = 1000

/**
 * Reads a resource to its proved end, into its incoming table; saves on the way how far it came.
 *
 * @param saved how far a run that died had come, with its table; null to begin at the beginning
 * @param sieve keeps people out who were forgotten; null where nobody was
 * @throws ReadError naming resource and page
 */
export async function readResource(
  run: RunContext,
  resource: Resource,
  saved: SavedReading | null,
  sieve: Sieve | null = null,
): Promise<Reading> {
  const name = incomingName(run.runId, resource.name)
  if (saved !== null && saved.endProof !== null) return endedReading(resource, saved, run)
  if (saved === null) {
    const key = { integrationId: run.integrationId, runId: run.runId, resource: resource.name }
    await forgetReading(run.database.kysely, key)
  }
  const incoming = await openIncoming(run.database, name, resource, saved?.totals ?? null)
  try {
    return await readUntilProved(run, resource, incoming, saved, sieve)
  } finally {
    await incoming.close()
  }
}

function endedReading(resource: Resource, saved: SavedReading, { runId }: RunContext): Reading {
  return {
    resource,
    incoming: incomingName(runId, resource.name),
    totals: saved.totals,
    certified: true,
    requests: saved.requests,
    attempts: saved.attempts,
    declared: saved.declared,
    endProof: saved.endProof as Ending['proof'],
    detail: '',
  }
}

async function readUntilProved(
  run: RunContext,
  resource: Resource,
  incoming: Incoming,
  saved: SavedReading | null,
  sieve: Sieve | null,
): Promise<Reading> {
  const standing = makeStanding(run, resource, incoming, saved)
  const readPage = pageReader(run, resource, incoming, standing, sieve)
  try {
    const ending = await readToProof(run.connected.source, resource, {
      readPage(...page) {
        run.progress.at(run.integrationId, 'page asked for')
        return readPage(...page)
      },
      restart: standing.restart,
      save: standing.save,
      from: saved === null || saved.place === null ? null : JSON.parse(saved.place),
      pages: saved?.requests ?? 0,
    })
    await standing.end(ending)
    return standing.reading(ending, '')
  } catch (error) {
    if (!(error instanceof SourceMovedError)) throw error
    await standing.end(null)
    return standing.reading(null, error.message)
  }
}

/** Keeps and saves where the reading of a resource stands. */
function makeStanding(run: RunContext, resource: Resource, incoming: Incoming, saved: SavedReading | null) {
  const { database, environment, integrationId, runId, progress } = run
  const key = { integrationId, runId, resource: resource.name }
  const shape = shapeOf(run, resource)
  let attempts = saved?.attempts ?? 0
  let pages = saved?.requests ?? 0
  let unsaved: (ReadRequest & { readonly page: number })[] = []
  let savedMs = environment.now()

  async function write(place: Place | null, ending: Ending | null): Promise<void> {
    progress.at(integrationId, 'records gathered')
    await incoming.commit()
    progress.at(integrationId, 'records committed')
    const standing = {
      shape,
      place: place === null ? null : JSON.stringify(place),
      totals: incoming.totals(),
      requests: pages,
      attempts,
      endProof: ending?.proof ?? null,
      declared: ending?.declared ?? null,
      savedAt: timestamp(environment),
    }
    await database.transaction(async (transaction) => {
      await saveReading(transaction, key, standing, unsaved)
      progress.at(integrationId, 'reading written')
    })
    unsaved = []
    savedMs = environment.now()
    progress.at(integrationId, 'reading saved')
  }

  return {
    attempt() {
      attempts += 1
    },
    read(request: ReadRequest) {
      pages += 1
      unsaved.push({ ...request, page: pages })
      progress.at(integrationId, 'page read')
    },
    async save(place: Place) {
      if (environment.now() - savedMs >= SAVE_EVERY_MS) await write(place, null)
    },
    end: (ending: Ending | null) => write(null, ending),
    async restart() {
      await incoming.rewind(NOTHING_INCOMING)
      await forgetReading(database.kysely, key)
      pages = 0
      unsaved = []
    },
    reading(ending: Ending | null, detail: string): Reading {
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
      }
    },
  }
}

/** Over all that shapes the rows of a resource: a reading of another shape is not continued. */
export function shapeOf({ connected, integration }: RunContext, resource: Resource): string {
  const { url, eventId } = integration.source
  const parts = [
    DOOR_VERSION,
    connected.source.type,
    url,
    eventId,
    resource.name,
    resource.columns,
    resource.shapedBy,
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
