import { createHash } from 'node:crypto'
import type { KnownVersions } from '../../../loaders/staging/known-versions.ts'
import { recordedAddress, type SuppressionFilter } from '../../../transforms/rules/people.ts'
import type { JsonObject } from '../../../transforms/rules/values.ts'
import { type ReaderContext, timestamp } from '../../context/run-context.ts'
import { type Answer, send } from '../../http/http.ts'
import { HttpFault, ReadError } from '../../http/read-error.ts'
import { requireOk } from '../../sources/contract/require-ok.ts'
import { failureIn, saidIn } from '../../sources/contract/said.ts'
import {
  type Ending,
  type Fault,
  faultText,
  type Page,
  type PageCursor,
  type ReadPage,
  type ReadRequest,
  type RecordSink,
  type Source,
  SourceMovedError,
  type SourceResource,
  UnfitChangesError,
} from '../../sources/contract/source.ts'
import { readElements } from './json-stream.ts'
import { LargeRecord } from './large-record.ts'
import { repeatedIds, UNREADABLE } from './repeated-ids.ts'
import { saidSoFar } from './said-so-far.ts'
import { largeToIncomingOf, toIncomingOf } from './to-incoming.ts'

export interface ReadingLog {
  /** Called before each request. */
  attempt(): void
  /** Called after an answer was read to its end. */
  read(request: ReadRequest): void
}

/** A page of one answer. Whether its records came twice is known to `readToProof`. */
type AnsweredPage = Omit<Page, 'twice'>

/** Maximum number of elements of a page whose ids are returned. */
const MAX_IDS = 100_000

/** Number of hexadecimal digits that are kept of a version hash. A JavaScript number holds them exactly. */
const VERSION_DIGITS = 12

/** Beginning of the value that stands for the id of a record of a forgotten person. */
const FORGOTTEN = '\0'

/** Number of records after which a read fails if nearly all of them are unreadable. */
const FIRST_RECORDS = 2000
const MAX_SHARE_OF_FAULTS = 0.95

/** Status codes with which a source says that it does not support this search. */
const NO_SUCH_SEARCH: ReadonlySet<number> = new Set([400, 404, 422])

/**
 * Returns the function that reads one page of a resource, with retries. If an attempt fails, the rows that it
 * added to the sink are removed before the next attempt.
 *
 * @param held number of records of an earlier reading that are already in the sink
 * @param known current versions of records, whose values need not be read again; null if every value must be
 *   read
 * @returns a function whose argument `what` names the page in messages
 */
export function pageReader(
  context: ReaderContext,
  resource: SourceResource,
  sink: RecordSink,
  log: ReadingLog,
  filter: SuppressionFilter | null = null,
  held = 0,
  known: KnownVersions | null = null,
): (what: string, ...page: Parameters<ReadPage>) => Promise<AnsweredPage> {
  const { emit, environment, limits, rate, retries } = context
  const toIncoming = toIncomingOf(resource, filter, known, limits.maxRecordBytes)
  const largeToIncoming = largeToIncomingOf(resource, filter, limits.maxRecordBytes)
  const { source } = context.connected
  let bytesOfResource = 0
  let firstFault: Fault | null = null

  async function ask(what: string, url: URL, begin: () => void, isRenewed = false): Promise<Answer> {
    const credentials = await source.authorization()
    const headers = { Accept: 'application/json', ...credentials }
    const spent = await rate.spend(what, retries.signal)
    begin()
    log.attempt()
    let answer: Answer | null = null
    try {
      const about = { addressKey: 'source.url', within: source.within, resource: resource.name }
      answer = await send({ url, headers, ...about }, limits)
    } finally {
      await spent(answer)
    }
    if (answer.status !== 401 || isRenewed || !('Authorization' in credentials)) return answer
    answer.discard()
    source.renewAuthorization(credentials)
    return ask(what, url, begin, true)
  }

  async function readAnswer(
    answer: Answer,
    [url, overlap, use = 'staged']: Parameters<ReadPage>,
  ): Promise<AnsweredPage> {
    const hash = createHash('sha256')
    let bytes = 0
    async function* measured(): AsyncGenerator<Uint8Array> {
      for await (const chunk of answer.body) {
        hash.update(chunk)
        bytes += chunk.length
        bytesOfResource += chunk.length
        if (bytesOfResource > limits.maxBytes) throw tooMuch(`bytes than http.maxBytes (${limits.maxBytes})`)
        emit({ type: 'read', resource: resource.name, records: 0, bytes: chunk.length })
        yield chunk
      }
    }
    // The records of a page that is read only for comparison were counted when they were staged.
    const before = use === 'staged' ? sink.totals().elements - held : 0
    let elements = 0
    let first: string | null = null
    let last: string | null = null
    const ids: string[] = []
    const versions: string[] = []
    const list = source.listOf?.(resource)
    const reader = readElements(measured(), limits.maxRecordBytes, list)
    for (;;) {
      const next = await reader.next()
      if (next.done) {
        const { members, form } = next.value
        requireNoFailure(members)
        // An empty page is logged too: if it follows a single element, it proves that the list has ended.
        log.read({
          url: recordedAddress(url.href),
          status: answer.status,
          bytes,
          sha256: hash.digest('hex'),
          elements: use === 'staged' ? elements : 0,
          answeredAt: timestamp(environment),
          sourceAt: sourceTimeOf(answer),
        })
        if (overlap !== null && first === null) throw new SourceMovedError('the last element read is gone')
        const said = saidIn(members, answer.headers, list)
        if (said.records !== null)
          emit({ type: 'read', resource: resource.name, records: 0, bytes: 0, declared: said.records })
        return { elements, first, last, ids, versions, members, form, said }
      }
      const counted = elements
      for (const record of next.value) {
        const row = record instanceof LargeRecord ? largeToIncoming(record) : toIncoming(record)
        firstFault ??= row.fault
        last = row.sourceId ?? `${row.fault === null ? FORGOTTEN : UNREADABLE}${row.versionHash}`
        const isOverlap = first === null && overlap !== null
        first ??= last
        if (ids.length < MAX_IDS) {
          ids.push(last)
          versions.push(row.versionHash.slice(0, VERSION_DIGITS))
        }
        if (isOverlap && first !== overlap) {
          throw new SourceMovedError('a page does not begin with the last element of the page before', first)
        }
        if (isOverlap) continue
        elements += 1
        if (before + elements > limits.maxRecords) {
          throw tooMuch(`records than http.maxRecords (${limits.maxRecords})`)
        }
        if (use !== 'staged') continue
        const taken = sink.add(row)
        // The body of this loop runs for every record. Awaiting each row would take more time than everything
        // else here.
        if (taken !== undefined) await taken
        if (before + elements === FIRST_RECORDS) requireReadable(sink, firstFault)
      }
      // Two kinds of records were counted before: records that are read only for comparison, and the record
      // by which two pages overlap.
      const records = use === 'staged' ? elements - counted : 0
      emit({ type: 'read', resource: resource.name, records, bytes: 0 })
    }
  }

  return (what, ...page) => {
    const start = sink.totals()
    return retries.run(what, async (begin) => {
      let answer: Answer | null = null
      try {
        answer = requireOk(await ask(what, page[0], begin), environment.now())
        return await readAnswer(answer, page)
      } catch (error) {
        answer?.discard()
        if (
          resource.search !== undefined &&
          error instanceof HttpFault &&
          error.status !== null &&
          NO_SUCH_SEARCH.has(error.status)
        ) {
          throw new UnfitChangesError(`the source answered ${error.status}`)
        }
        const isFaultOfSource = error instanceof ReadError || error instanceof SourceMovedError
        if (isFaultOfSource && sink.totals().elements > start.elements) await sink.rewind(start)
        throw error
      }
    })
  }
}

/** Returns the time of the answer by the source's clock; null if the answer does not have it. */
function sourceTimeOf({ headers }: Answer): string | null {
  const ms = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/** Checks that an answer does not state an error beside its list. @throws ReadError if it states an error */
function requireNoFailure(members: JsonObject): void {
  const key = failureIn(members)
  if (key === null) return
  throw new ReadError(`the answer says that it failed: it has ${JSON.stringify(key)} beside its list`, {
    hint: 'try again later; if it persists, ask the people who run the source',
  })
}

function tooMuch(limit: string): ReadError {
  return new ReadError(`the source returned more ${limit}`, {
    hint: 'check what it returns, or raise the limit',
  })
}

function requireReadable(sink: RecordSink, first: Fault | null): void {
  const { elements, faults } = sink.totals()
  if (faults < elements * MAX_SHARE_OF_FAULTS) return
  const why = first === null ? '' : `; the first: ${faultText(first)}`
  throw new ReadError(`${faults} of the first ${elements} records cannot be read${why}`, {
    hint: 'correct this in the records, or in the rule that the message names',
  })
}

/** Maximum number of times that a resource is read if it changes during each reading. */
const MAX_READINGS = 3

/** What a reading from the first page to the last needs besides the source. */
export interface WholeReading {
  readonly readPage: ReturnType<typeof pageReader>
  /** Discards everything that was read, because the reading begins again. */
  restart(): Promise<void>
  /** Called after each page with the position from which reading could continue. */
  save?(cursor: PageCursor): Promise<void>
  /** Position from which to continue, and the number of pages before it; left out: the first page. */
  readonly from?: PageCursor | null
  readonly pages?: number
  /**
   * Returns true if a record came twice. Called at the end of a reading that was continued, because the ids
   * before the position are not in memory.
   */
  hasRepeats?(): Promise<boolean>
}

/**
 * Reads a resource until its end is proved. If the source changed during the reading, the reading begins
 * again.
 *
 * @throws ReadError with the resource and the page; SourceMovedError if the source changed during each of
 *   three readings; UnprovedError if the end cannot be proved, or if the source says that more records follow
 */
export async function readToProof(
  source: Source,
  resource: SourceResource,
  reading: WholeReading,
): Promise<Ending> {
  const { readPage, restart, save = async () => undefined, hasRepeats } = reading
  let { from = null, pages = 0 } = reading
  const repeated = repeatedIds()
  for (let readings = 1; ; readings += 1) {
    const said = saidSoFar(from, pages)
    let asked = pages
    try {
      const ending = await source.readToEnd(
        resource,
        async (url, overlap, use = 'staged') => {
          // If the source rejects the size of a page, the same page is requested with a smaller size and
          // keeps its number.
          if (use === 'staged') asked = pages + 1
          const what = use === 'staged' ? `page ${asked}` : `page ${pages - 1} again`
          try {
            const page = await readPage(`${resource.name}, ${what}`, url, overlap, use)
            pages = asked
            said.add(page, use)
            return { ...page, twice: use === 'staged' ? repeated.add(page, overlap) : 0 }
          } catch (error) {
            if (error instanceof SourceMovedError) pages = asked
            throw error
          }
        },
        (cursor) => save(said.withCursor(cursor)),
        from,
      )
      said.requireEnd(ending, repeated.twiceOnPages(), source.adviceIfShort)
      if (from !== null && (await hasRepeats?.()) === true)
        throw new SourceMovedError('a record that was read before the interruption came again')
      // If each answer is a whole list, a record may be in several of them.
      if (ending.proof !== 'unpaged array') repeated.requireUnmoved(source.adviceIfShort)
      return ending
    } catch (error) {
      if (error instanceof ReadError) {
        const message = `${resource.name}, page ${asked}: ${error.message}`
        throw new ReadError(message, { cause: error })
      }
      if (!(error instanceof SourceMovedError)) throw error
      if (readings >= MAX_READINGS) {
        throw new SourceMovedError(
          `the source changed during each of ${MAX_READINGS} readings: ${error.message}`,
        )
      }
      await restart()
      repeated.restart()
      from = null
      pages = 0
    }
  }
}
