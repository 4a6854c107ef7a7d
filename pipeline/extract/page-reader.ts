import { createHash } from 'node:crypto'
import type { Sieve } from '../../transforms/rules/forgotten.ts'
import { type RunContext, timestamp } from '../run-context.ts'
import type { ReadRequest, RecordSink } from './certificate.ts'
import { type Answer, send } from './http.ts'
import { readElements } from './json-stream.ts'
import { ReadError } from './read-error.ts'
import { requireOk } from './retry.ts'
import { type Page, type ReadPage, type Resource, SourceMovedError } from './source.ts'
import { toIncomingOf } from './to-incoming.ts'

/** Told what it took to read a resource. */
export interface ReadingLog {
  /** A request is sent. */
  attempt(): void
  /** An answer was read whole, and its records count. */
  read(request: ReadRequest): void
}

/** What page readers need of a run. */
export type ReaderContext = Pick<
  RunContext,
  'connected' | 'environment' | 'integrationId' | 'limits' | 'progress' | 'rate' | 'retries'
>

/**
 * Makes the function that reads one page of a resource at a time, with retries; what a failed try of a page has
 * put into the sink is taken back before the next.
 *
 * @returns `what` names the page for messages
 */
export function pageReader(
  context: ReaderContext,
  resource: Resource,
  sink: RecordSink,
  log: ReadingLog,
  sieve: Sieve | null = null,
): (what: string, ...page: Parameters<ReadPage>) => Promise<Page> {
  const toIncoming = toIncomingOf(resource, sieve)
  const { environment, limits, rate, retries, progress, integrationId } = context
  const { source } = context.connected

  async function ask(what: string, url: URL): Promise<Answer> {
    const headers: Record<string, string> = { Accept: 'application/json', ...(await source.authorization()) }
    const answer = await askOnce(what, url, headers)
    if (answer.status !== 401 || !('Authorization' in headers)) return answer
    answer.discard()
    source.renewAuthorization(headers)
    return askOnce(what, url, { Accept: 'application/json', ...(await source.authorization()) })
  }

  async function askOnce(what: string, url: URL, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const spent = await rate.spend(what, retries.signal)
    log.attempt()
    let heard: Answer | null = null
    try {
      heard = await send({ url, headers, within: source.within, resource: resource.name }, limits)
      return heard
    } finally {
      await spent(heard)
    }
  }

  async function readOnce(
    what: string,
    url: URL,
    overlap: string | null,
    use: 'staged' | 'compared',
  ): Promise<Page> {
    const answer = requireOk(await ask(what, url), environment.now())
    try {
      return await readAnswer(answer, url, overlap, use)
    } catch (error) {
      answer.discard()
      throw error
    }
  }

  async function readAnswer(
    answer: Answer,
    url: URL,
    overlap: string | null,
    use: 'staged' | 'compared',
  ): Promise<Page> {
    const hash = createHash('sha256')
    let bytes = 0
    async function* measured(): AsyncGenerator<Uint8Array> {
      for await (const chunk of answer.body) {
        hash.update(chunk)
        bytes += chunk.length
        progress.read(integrationId, resource.name, 0, chunk.length)
        yield chunk
      }
    }
    let elements = 0
    let first: string | null = null
    let last: string | null = null
    const reader = readElements(measured(), limits.maxRecordBytes)
    for (;;) {
      const next = await reader.next()
      if (next.done) {
        // An empty page counts as read: where a single element came before, it proves the end.
        log.read({
          url: url.href,
          status: answer.status,
          bytes,
          sha256: hash.digest('hex'),
          elements: use === 'staged' ? elements : 0,
          answeredAt: timestamp(environment),
        })
        if (overlap !== null && first === null) throw new SourceMovedError('the last element read is gone')
        return { elements, first, last, members: next.value.members, form: next.value.form }
      }
      for (const record of next.value) {
        const row = toIncoming(record)
        last = row.sourceId ?? `\0${row.versionHash}`
        const isOverlap = first === null && overlap !== null
        first ??= last
        if (isOverlap && first !== overlap) {
          throw new SourceMovedError('a page does not begin with the last element of the page before', first)
        }
        if (isOverlap) continue
        elements += 1
        if (use !== 'staged') continue
        const taken = sink.add(row)
        // Hot: to wait for nothing costs more than what else is done here.
        if (taken !== undefined) await taken
      }
      progress.read(integrationId, resource.name, next.value.length, 0)
    }
  }

  return (what, url, overlap, use = 'staged') => {
    const start = sink.totals()
    return retries.run(what, async () => {
      try {
        return await readOnce(what, url, overlap, use)
      } catch (error) {
        const isFaultOfSource = error instanceof ReadError || error instanceof SourceMovedError
        if (isFaultOfSource && sink.totals().elements > start.elements) await sink.rewind(start)
        throw error
      }
    })
  }
}
