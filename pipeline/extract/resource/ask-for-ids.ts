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

/** The most ids in one request, including the known ones. */
const IDS_AT_ONCE = 100

/** The most characters of ids in an address. Many servers refuse an address of more than 8,000 characters. */
const MOST_CHARACTERS = 4000

/** Ids are separated by `|`, which is written `%7C` in an address. */
const SEPARATOR_CHARACTERS = 3

/** Matches the ids that need no escaping in a search. */
const PLAIN_ID = /^[\w-]{1,64}$/

export interface SoughtIds {
  readonly ids: Iterable<string>
  /** One or two records that were read in full. Each answer must have them in the same version. */
  readonly known: VersionsById
  /** The most requests that are worth sending. */
  readonly mostQuestions: number
}

/**
 * Asks a source by ids which of the given records it has. It stops reading an answer at the first record that
 * does not fit.
 *
 * @param into receives the records that come, including the known ones
 * @returns the ids that came. Null, which means that nothing is known, if the source refuses the search, or
 *   if its answer has other records, lacks a known record, has a known record with other values, or declares
 *   no total
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
          // Only after the whole page: records of a try that failed do not count.
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
 * Fails at a record that was not asked for, and at a known record in another version. A source that ignores
 * `fields` in a search returns incomplete records, which would overwrite the staged values.
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
 * Returns the ids of each request. Known ids are first and last, so that a request that is cut short is
 * noticed. Returns an empty list if there would be too many requests, or if the source cannot be searched by
 * ids.
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
 * Returns whether an error only means that the source refuses a search, or that its answer cannot be used.
 */
export function isUnusable(error: unknown): error is Error {
  return error instanceof UnfitChangesError || error instanceof UnprovedError || error instanceof ReadError
}

const MOST_TRIES = 3

/**
 * Limits the tries of an optional read, which must not spend the retry budget of the other reads. An answer
 * 429 does not count as a try: it only means that the request came too early.
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
