import type { VersionsById } from '../../../loaders/staging/missing.ts'
import type { SuppressionFilter } from '../../../transforms/rules/people.ts'
import type { RunContext } from '../../context/run-context.ts'
import { HttpFault, ReadError } from '../../http/read-error.ts'
import type { Retries } from '../../http/retry.ts'
import {
  type RecordSink,
  type SourceResource,
  UnfitChangesError,
  UnprovedError,
} from '../../sources/contract/source.ts'
import { pageReader, type ReadingLog, readToProof } from './page-reader.ts'

/** Maximum number of ids in one request, including the ids of known records. */
const IDS_AT_ONCE = 100

/**
 * Maximum length, in characters, of the ids in the address of a request. Many servers reject an address of
 * more than 8,000 characters.
 */
const MOST_CHARACTERS = 4000

/** Length of the separator `|` between ids, which is `%7C` in an address. */
const SEPARATOR_CHARACTERS = 3

/** Matches ids that a search can contain without escaping. */
const PLAIN_ID = /^[\w-]{1,64}$/

export interface SoughtIds {
  readonly ids: Iterable<string>
  /**
   * One or two known records, which were read completely. Each answer must contain these records in the same
   * version.
   */
  readonly known: VersionsById
  /** Maximum number of requests; with more, reading the whole resource is faster. */
  readonly mostQuestions: number
}

/**
 * Asks a source, by ids, which of the given records it has. The function stops reading an answer at the first
 * unexpected record.
 *
 * @param into receives the records of the answer, including the known records
 * @returns the ids that the source has; null if the source rejects the search or its answer cannot be
 *   trusted. An answer cannot be trusted if it has other records, lacks a known record, has a known record
 *   with other values, or states no total.
 */
export async function askForIds(
  run: RunContext,
  resource: SourceResource,
  sought: SoughtIds,
  filter: SuppressionFilter | null,
  log: ReadingLog,
  into: RecordSink,
  held = 0,
): Promise<ReadonlySet<string> | null> {
  const came = new Set<string>()
  const questions = questionsFor(resource, { ...sought, known: [...sought.known.keys()] })
  const context = { ...run, retries: triedLess(run.retries) }
  try {
    for (const ids of questions) {
      const answered = new Set<string>()
      const asked = { ...resource, search: { ids } }
      const readPage = pageReader(
        context,
        asked,
        onlyAskedFor(new Set(ids), sought.known, into),
        log,
        filter,
        held,
      )
      await readToProof(run.connected.source, asked, {
        async readPage(what, ...page) {
          run.at('page asked for')
          const answer = await readPage(`${what} of what is missing`, ...page)
          // Ids are added only after the whole page, because the records of a failed attempt do not count.
          for (const id of answer.ids) answered.add(id)
          return answer
        },
        async restart() {
          throw new UnfitChangesError('the answer moved')
        },
      })
      if (![...sought.known.keys()].every((id) => answered.has(id))) return null
      for (const id of ids) if (answered.has(id)) came.add(id)
    }
  } catch (error) {
    if (isUnusable(error)) return null
    throw error
  }
  return questions.length === 0 ? null : came
}

/**
 * Throws an error at a record that was not requested, and at a known record in another version. A source that
 * ignores `fields` in a search returns incomplete records, which would overwrite the staged values.
 */
function onlyAskedFor(asked: ReadonlySet<string>, known: VersionsById, into: RecordSink): RecordSink {
  return {
    ...into,
    add(row) {
      if (row.isForgotten === true) return undefined
      if (row.sourceId === null || !asked.has(row.sourceId))
        throw new UnfitChangesError('a record came that was not asked for')
      if ((known.get(row.sourceId) ?? row.versionHash) !== row.versionHash)
        throw new UnfitChangesError('a known record is not as it was read')
      return into.add(row)
    },
  }
}

/**
 * Returns the ids to request, one list for each request. Each list begins and ends with the id of a known
 * record, so that an answer to a truncated request is noticed. Returns no lists if there would be too many
 * requests, or if the source cannot be searched by ids.
 */
export function questionsFor(
  { changes }: Pick<SourceResource, 'changes'>,
  { ids, known, mostQuestions }: Omit<SoughtIds, 'known'> & { readonly known: readonly string[] },
): readonly (readonly string[])[] {
  const sought = [...ids].sort()
  if (changes === undefined || known.length === 0) return []
  if (![...sought, ...known].every((id) => PLAIN_ID.test(id))) return []
  const questions: string[][] = []
  const charactersOf = (list: readonly string[]) =>
    list.reduce((sum, id) => sum + id.length + SEPARATOR_CHARACTERS, 0)
  const charactersOfKnown = charactersOf(known)
  let characters = Number.POSITIVE_INFINITY
  for (const id of sought) {
    characters += charactersOf([id])
    if (characters > MOST_CHARACTERS || (questions.at(-1)?.length ?? 0) + known.length >= IDS_AT_ONCE) {
      questions.push([])
      characters = charactersOfKnown + charactersOf([id])
    }
    questions.at(-1)?.push(id)
  }
  if (questions.length > mostQuestions) return []
  return questions.map((question) => [...known.slice(0, 1), ...question, ...known.slice(1)])
}

/**
 * Returns true if an error only means that the source rejects a search, or that its answer cannot be used.
 */
export function isUnusable(error: unknown): error is Error {
  return error instanceof UnfitChangesError || error instanceof UnprovedError || error instanceof ReadError
}

const MOST_TRIES = 3

/**
 * Limits the retries of a read that the run could do without. An optional read must not use up the retry
 * budget of the other reads. An answer with status 429 is not counted, because it only means that the request
 * came too early.
 */
export function triedLess(retries: Retries): Retries {
  return {
    ...retries,
    run(what, read) {
      let tries = 0
      return retries.run(what, async (begin) => {
        tries += 1
        try {
          return await read(begin)
        } catch (error) {
          const isTooEarly = error instanceof HttpFault && error.status === 429
          if (!(error instanceof ReadError) || isTooEarly || tries < MOST_TRIES) throw error
          throw new ReadError(error.what, { hint: error.hint, cause: error })
        }
      })
    },
  }
}
