import {
  type Incoming,
  type IncomingName,
  type IncomingTotals,
  incomingName,
  openIncoming,
} from '../../loaders/staging/incoming.ts'
import type { RunContext } from '../run-context.ts'
import { type Answer, send } from './http.ts'
import { readElements } from './json-stream.ts'
import { ReadError } from './read-error.ts'
import { requireOk, StoppedError } from './retry.ts'
import { type EndProof, type Page, type ReadPage, type Resource, SourceMovedError } from './source.ts'
import { toIncomingOf } from './to-incoming.ts'

/** A resource is read this often before it is given up as one that keeps moving. */
const MAX_READINGS = 3

/** What was read of a resource, and whether it is proved to be all of it. */
export interface Reading {
  readonly resource: Resource
  readonly incoming: IncomingName
  readonly totals: IncomingTotals
  readonly certified: boolean
  /** Answers that were read, those of abandoned tries included. */
  readonly requests: number
  /** Bytes of these answers, decompressed. */
  readonly bytes: number
  readonly declared: number | null
  readonly endProof: EndProof | 'none'
  /** Why it is not certified; empty where it is. */
  readonly detail: string
}

/**
 * Reads the resources that a run needs, all at once, into incoming tables.
 *
 * @throws ReadError naming the resource and the page; nothing in staging has changed then
 */
export async function extract(run: RunContext): Promise<readonly Reading[]> {
  const readings = run.connected.resources.map(async (resource) => {
    try {
      return await readResource(run, resource)
    } catch (error) {
      // The run has failed: what the other resources still wait for would be for nothing.
      run.retries.stop()
      throw error
    }
  })
  const results = await Promise.allSettled(readings)
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  const failure = failures.find((error) => !(error instanceof StoppedError)) ?? failures[0]
  if (failure !== undefined) throw failure
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

async function readResource(run: RunContext, resource: Resource): Promise<Reading> {
  const { source } = run.connected
  const name = incomingName(run.runId, resource.name)
  const incoming = await openIncoming(run.database, name, resource)
  const start = incoming.totals()
  const count = { requests: 0, bytes: 0 }
  const readPage = pageReader(run, resource, incoming, count)
  try {
    for (let reading = 1; ; reading += 1) {
      const common = { resource, incoming: name }
      let page = 0
      try {
        const { proof, declared } = await source.readToEnd(resource, (url, overlap) => {
          page += 1
          return readPage(`${resource.name}, page ${page}`, url, overlap)
        })
        await incoming.commit()
        const totals = incoming.totals()
        return { ...common, ...count, totals, certified: true, declared, endProof: proof, detail: '' }
      } catch (error) {
        if (error instanceof ReadError) {
          const message = `${resource.name}, page ${page}: ${error.message}`
          throw new ReadError(message, { retryable: false, cause: error })
        }
        if (!(error instanceof SourceMovedError)) throw error
        if (reading < MAX_READINGS) {
          await incoming.rewind(start)
          continue
        }
        await incoming.commit()
        const detail = `the source moved in each of ${MAX_READINGS} readings: ${error.message}`
        const totals = incoming.totals()
        return { ...common, ...count, totals, certified: false, declared: null, endProof: 'none', detail }
      }
    }
  } finally {
    await incoming.close()
  }
}

/** Reads one page at a time; what a failed try of a page has staged is taken back before the next. */
function pageReader(
  run: RunContext,
  resource: Resource,
  incoming: Incoming,
  count: { requests: number; bytes: number },
): (what: string, ...page: Parameters<ReadPage>) => Promise<Page> {
  const toIncoming = toIncomingOf(resource)
  const { environment, limits, retries, progress, integrationId } = run
  const { source } = run.connected

  async function ask(url: URL): Promise<Answer> {
    const headers: Record<string, string> = { Accept: 'application/json', ...(await source.authorization()) }
    const answer = await send({ url, headers }, limits)
    if (answer.status !== 401 || !('Authorization' in headers)) return answer
    answer.discard()
    source.renewAuthorization(headers)
    return send({ url, headers: { Accept: 'application/json', ...(await source.authorization()) } }, limits)
  }

  async function* counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      count.bytes += chunk.length
      progress.read(integrationId, resource.name, 0, chunk.length)
      yield chunk
    }
  }

  async function readOnce(url: URL, overlap: string | null): Promise<Page> {
    const answer = requireOk(await ask(url), environment.now())
    count.requests += 1
    try {
      return await readAnswer(answer, overlap)
    } catch (error) {
      answer.discard()
      throw error
    }
  }

  async function readAnswer(answer: Answer, overlap: string | null): Promise<Page> {
    let elements = 0
    let first: string | null = null
    let last: string | null = null
    const reader = readElements(counted(answer.body), limits.maxRecordBytes)
    for (;;) {
      const next = await reader.next()
      if (next.done) {
        if (overlap !== null && first === null) throw new SourceMovedError('the last element read is gone')
        return { elements, first, last, members: next.value.members, form: next.value.form }
      }
      for (const record of next.value) {
        const row = toIncoming(record)
        last = row.sourceId ?? `\0${row.versionHash.toString('hex')}`
        const isOverlap = first === null && overlap !== null
        first ??= last
        if (isOverlap && first !== overlap) {
          throw new SourceMovedError('a page does not begin with the last element of the page before', first)
        }
        if (isOverlap) continue
        elements += 1
        await incoming.add(row)
      }
      progress.read(integrationId, resource.name, next.value.length, 0)
    }
  }

  return (what, url, overlap) => {
    const start = incoming.totals()
    return retries.run(what, async () => {
      try {
        return await readOnce(url, overlap)
      } catch (error) {
        const isFaultOfSource = error instanceof ReadError || error instanceof SourceMovedError
        if (isFaultOfSource && incoming.totals().elements > start.elements) await incoming.rewind(start)
        throw error
      }
    })
  }
}
