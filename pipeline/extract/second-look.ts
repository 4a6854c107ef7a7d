import { openIncoming } from '../../loaders/staging/incoming.ts'
import { findMissing, type Missing } from '../../loaders/staging/missing.ts'
import { saveReading } from '../../loaders/staging/readings.ts'
import type { SuppressionFilter } from '../../transforms/rules/forgotten.ts'
import { type RunContext, timestamp } from '../context/run-context.ts'
import type { Reading, ReadRequest, RecordSink } from '../sources/contract/certificate.ts'
import { type Resource, UnfitChangesError, UnprovedError } from '../sources/contract/source.ts'
import { pageReader } from './page-reader.ts'
import { shapeOf } from './read-resource.ts'
import { readToProof } from './read-to-proof.ts'

/** Ids in one question: an address must not become too long. */
const IDS_AT_ONCE = 50

/** Others would need to be escaped in a question. */
const PLAIN_ID = /^[\w-]{1,64}$/

/**
 * Looks a second time for what a resource lacks: asks for its ids, where the source takes such a question and answers with the known ids
 * that are asked for beside them, and else reads all of the resource. It takes what the first reading lacks: a record that
 * moved from page to page meanwhile was passed over, and is not gone. A record that the second reading cannot read and the first did not
 * have may be one of them, so it is taken too.
 *
 * @returns the reading with what came back; no longer certified where the second one proves nothing
 * @throws ReadError naming resource and page
 */
export async function lookAgain(
  run: RunContext,
  first: Reading,
  filter: SuppressionFilter | null,
): Promise<Reading> {
  const { database, environment, integration, integrationId, runId, connected } = run
  const { resource } = first
  const synced = new Set(integration.content)
  const contents = resource.contents.filter((content) => synced.has(content))
  const sought = { ...first, table: resource.table, contents, integrationId }
  const missing = await findMissing(database.kysely, sought)
  const incoming = await openIncoming(database, first.incoming, resource, first.totals)
  let attempts = first.attempts
  let answers: ReadRequest[] = []
  let taken = first.totals.elements
  const sink: RecordSink = {
    ...incoming,
    add: (row) => (row.isForgotten === true || !missing.isLacked(row) ? undefined : incoming.add(row)),
  }
  const log = {
    attempt() {
      attempts += 1
    },
    read(answer: ReadRequest) {
      const { elements } = incoming.totals()
      answers.push({ ...answer, elements: elements - taken })
      taken = elements
    },
  }
  async function startAgain(): Promise<void> {
    await incoming.rewind(first.totals)
    answers = []
    taken = first.totals.elements
  }
  async function read(asked: Resource, into: RecordSink, of: string, restart: () => Promise<void>) {
    const readPage = pageReader(run, asked, into, log, filter, first.totals.elements)
    await readToProof(connected.source, asked, {
      readPage(what, ...page) {
        run.at('page asked for')
        return readPage(`${what} of ${of}`, ...page)
      },
      restart,
    })
  }
  /** @returns false where the source does not answer such a question as it must: then nothing is known */
  async function askForIds(): Promise<boolean> {
    const questions = questionsFor(first, missing)
    try {
      for (const ids of questions) {
        const asked = new Set(ids)
        const found = new Set<string>()
        const only: RecordSink = {
          ...sink,
          add(row) {
            if (row.isForgotten === true) return undefined
            if (row.sourceId === null || !asked.has(row.sourceId))
              throw new UnfitChangesError('a record came that was not asked for')
            found.add(row.sourceId)
            return sink.add(row)
          },
        }
        const moved = async () => {
          throw new UnfitChangesError('the answer moved')
        }
        await read({ ...resource, search: { ids } }, only, 'what is missing', moved)
        if (!missing.read.every((id) => found.has(id))) return false
      }
      return questions.length > 0
    } catch (error) {
      if (error instanceof UnfitChangesError || error instanceof UnprovedError) return false
      throw error
    }
  }
  try {
    if (!(await askForIds())) {
      await startAgain()
      await read(resource, sink, 'the second reading', startAgain)
    }
    await incoming.commit()
    const requests = first.requests + answers.length
    const reading = { ...first, totals: incoming.totals(), requests, attempts }
    const pages = answers.map((answer, index) => ({ ...answer, page: first.requests + index + 1 }))
    const key = { integrationId, runId, resource: resource.name }
    const saved = { ...reading, shape: shapeOf(run, resource), place: null, savedAt: timestamp(environment) }
    await database.transaction((transaction) => saveReading(transaction, key, saved, pages))
    run.at('reading saved')
    const back = reading.totals.elements - first.totals.elements
    return { ...reading, confirmed: true, detail: back === 0 ? first.detail : describe(back) }
  } catch (error) {
    if (!(error instanceof UnprovedError)) throw error
    await incoming.rewind(first.totals)
    const detail = `records are missing, and the second reading, which was to confirm that, proves nothing: ${error.message}`
    return { ...first, attempts, certified: false, confirmed: false, endProof: 'none', detail }
  } finally {
    await incoming.close()
  }
}

/**
 * What to ask for, known ids first and last, since a question that is cut short must show; nothing where to read again costs no more, or
 * the source cannot be asked.
 */
function questionsFor({ resource, requests }: Reading, { ids, read }: Missing): readonly string[][] {
  const all = [...(ids ?? [])].sort()
  const isAskable =
    resource.changes?.isAsked === true &&
    read.length > 0 &&
    [...all, ...read].every((id) => PLAIN_ID.test(id)) &&
    all.length <= IDS_AT_ONCE * requests
  if (!isAskable) return []
  const questions: string[][] = []
  for (let from = 0; from < all.length; from += IDS_AT_ONCE)
    questions.push([...read.slice(0, 1), ...all.slice(from, from + IDS_AT_ONCE), ...read.slice(1)])
  return questions
}

function describe(back: number): string {
  const records = back === 1 ? '1 record that was' : `${back} records that were`
  return `a second reading brought ${records} not in the first`
}
