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

/** Ids in one question, the known ones included. */
const IDS_AT_ONCE = 100

/** Characters that the ids take in an address. Many servers refuse one of more than 8,000 characters. */
const MOST_CHARACTERS = 4000

/** Ids are separated by `|`, which an address has as `%7C`. */
const SEPARATOR_CHARACTERS = 3

/** Others would need to be escaped in a question. */
const PLAIN_ID = /^[\w-]{1,64}$/

export interface SoughtIds {
  readonly ids: Iterable<string>
  /** One or two records that were read in full: each answer must bring them as they were read. */
  readonly known: VersionsById
  /** Most questions that are worth asking. */
  readonly mostQuestions: number
}

/**
 * Asks a source which of some records it has, by their ids.
 *
 * @param into takes the records that come, the known ones among them
 * @returns the ids that came; null if the source refuses the question, or answers it with other records, without the known ones,
 *   with less or something else of these, or without a total: then nothing is known. It does not read on after the first record
 *   that does not fit.
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
          // Not as they come: what a try brought that failed later does not count.
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
 * Refuses an answer with a record that was not asked for, and one with a known record that is not as it was read. A source that
 * ignores `fields` in a search gives less of each record, which would overwrite what is staged.
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
 * Returns what to ask for, known ids first and last, since a question that is cut short must show; nothing if that takes more questions
 * than are worth asking, or the source cannot be asked.
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

/** Returns whether a failed read says only that the source cannot be asked this, or that its answer cannot be used. */
export function isUnusable(error: unknown): error is Error {
  return error instanceof UnfitChangesError || error instanceof UnprovedError || error instanceof ReadError
}

const MOST_TRIES = 3

/**
 * The retries of a run for a read that it can do without: such a read must not spend the budget of all others. An answer 429 says
 * only that the question came too early.
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
