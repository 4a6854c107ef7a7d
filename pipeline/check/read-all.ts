import { pageReader, type ReaderContext } from '../extract/page-reader.ts'
import { readToProof } from '../extract/read-to-proof.ts'
import type { RecordSink } from '../sources/contract/certificate.ts'
import { countFills } from '../sources/contract/fill-counts.ts'
import { ENDS_ALL, toReadFault } from '../sources/contract/read-fault.ts'
import type { ResourceRead, TallyOf } from '../sources/contract/reads.ts'
import type { Resource } from '../sources/contract/source.ts'
import type { Preview } from './preview.ts'

/**
 * Reads every resource to its proved end, one after the other, and keeps counts of it only. A fault of one resource
 * leaves the others to be read, unless the source itself does not answer.
 */
export async function readAll(context: ReaderContext, tallyOf: TallyOf, preview: Preview | null) {
  const { resources, source } = context.connected
  const reads = new Map<string, ResourceRead>(resources.map(({ name }) => [name, { outcome: 'not read' }]))
  let isAdmitted: boolean
  try {
    isAdmitted = Object.keys(await source.authorization()).length > 0
  } catch (error) {
    return { accessFault: toReadFault(error), isAdmitted: false, reads }
  }
  for (const resource of resources) {
    const read = await readOne(context, resource, tallyOf, preview)
    reads.set(resource.name, read)
    if (read.outcome === 'failed' && ENDS_ALL.includes(read.fault.kind)) break
  }
  return { accessFault: null, isAdmitted, reads }
}

async function readOne(
  context: ReaderContext,
  resource: Resource,
  tallyOf: TallyOf,
  preview: Preview | null,
): Promise<ResourceRead> {
  const counts = countFills(resource, tallyOf(resource))
  const kept = (await preview?.sinkOf(resource)) ?? null
  const sink = kept === null ? counts : both(counts, kept)
  const begin = sink.totals()
  const log = { attempt: () => undefined, read: () => undefined }
  try {
    await readToProof(context.connected.source, resource, {
      readPage: pageReader(context, resource, sink, log),
      restart: () => sink.rewind(begin),
      save: async () => undefined,
      from: null,
      pages: 0,
    })
    return { outcome: 'read', counts: counts.counts() }
  } catch (error) {
    return { outcome: 'failed', fault: toReadFault(error) }
  } finally {
    await kept?.close()
  }
}

function both(one: RecordSink, other: RecordSink): RecordSink {
  return {
    add(row) {
      const waiting = one.add(row)
      const alsoWaiting = other.add(row)
      return waiting === undefined ? alsoWaiting : waiting.then(() => alsoWaiting)
    },
    totals() {
      one.totals()
      return other.totals()
    },
    async rewind(to) {
      await one.rewind(to)
      await other.rewind(to)
    },
  }
}
