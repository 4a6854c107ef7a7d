import { pageReader, type ReaderContext } from '../extract/page-reader.ts'
import { readToProof } from '../extract/read-to-proof.ts'
import type { Resource } from '../extract/source.ts'
import { countFills } from './fill-counts.ts'
import { ENDS_ALL, toReadFault } from './read-fault.ts'
import type { Answers, ResourceRead, TallyOf } from './reads.ts'

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
  const sink = countFills(resource, tallyOf(resource))
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
    return { outcome: 'read', counts: sink.counts() }
  } catch (error) {
    return { outcome: 'failed', fault: toReadFault(error) }
  }
}
