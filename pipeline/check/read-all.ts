import type { IncomingRow } from '../../loaders/staging/incoming.ts'
import { pageReader, type ReaderContext } from '../extract/page-reader.ts'
import { type Resource, SourceMovedError } from '../extract/source.ts'
import { countFills, type FillCounts } from './fill-counts.ts'
import { ENDS_ALL, type ReadFault, toReadFault } from './read-fault.ts'
import type { Reads, ResourceRead } from './reads.ts'

/** What became of asking the source for everything that a run would read. */
export interface Answers {
  /** Why the source gives no access at all; null where it gives it, or needs none. */
  readonly accessFault: ReadFault | null
  /** Whether credentials were taken, for a source that asks for some. */
  readonly isAdmitted: boolean
  readonly reads: Reads
}

/** What the records of a resource are counted as beside; see `countFills`. */
export type TallyOf = (resource: Resource) => ((row: IncomingRow) => string | null) | undefined

/** A resource is read this often before it is given up as one that keeps moving, as in a run. */
const MAX_READINGS = 3

/**
 * Reads every resource to its proved end, one after the other, and keeps counts of it only. A fault of one resource
 * leaves the others to be read, unless the source itself does not answer.
 */
export async function readAll(context: ReaderContext, tallyOf: TallyOf): Promise<Answers> {
  const { resources, source } = context.connected
  const reads = new Map<string, ResourceRead>(resources.map(({ name }) => [name, { outcome: 'not read' }]))
  let isAdmitted: boolean
  try {
    isAdmitted = Object.keys(await source.authorization()).length > 0
  } catch (error) {
    return { accessFault: toReadFault(error), isAdmitted: false, reads }
  }
  for (const resource of resources) {
    const read = await readOne(context, resource, tallyOf)
    reads.set(resource.name, read)
    if (read.outcome === 'failed' && ENDS_ALL.includes(read.fault.kind)) break
  }
  return { accessFault: null, isAdmitted, reads }
}

async function readOne(context: ReaderContext, resource: Resource, tallyOf: TallyOf): Promise<ResourceRead> {
  for (let reading = 1; ; reading += 1) {
    try {
      return { outcome: 'read', counts: await countToEnd(context, resource, tallyOf) }
    } catch (error) {
      if (error instanceof SourceMovedError && reading < MAX_READINGS) continue
      return { outcome: 'failed', fault: toReadFault(error) }
    }
  }
}

async function countToEnd(context: ReaderContext, resource: Resource, tallyOf: TallyOf): Promise<FillCounts> {
  const sink = countFills(resource, tallyOf(resource))
  const readPage = pageReader(context, resource, sink, { attempt: () => undefined, read: () => undefined })
  let page = 0
  await context.connected.source.readToEnd(
    resource,
    (url, overlap) => {
      page += 1
      return readPage(`${resource.name}, page ${page}`, url, overlap)
    },
    async () => undefined,
    null,
  )
  return sink.counts()
}
