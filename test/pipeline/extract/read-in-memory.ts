import { type IncomingRow, type IncomingTotals, NOTHING_INCOMING } from '../../../loaders/staging/incoming.ts'
import { openReader } from '../../../pipeline/context/open-run.ts'
import { pageReader, readToProof } from '../../../pipeline/extract/resource/page-reader.ts'
import { type ReadRequest, UnprovedError } from '../../../pipeline/sources/contract/source.ts'
import { contextOf, type ExtractOptions, sourceA } from './support.ts'

/**
 * Opens a reading of the one resource that attendees need. The reading works as in a run, but without a
 * database.
 */
function openReading(
  config: Readonly<Record<string, unknown>>,
  options: ExtractOptions,
  onRow: (row: IncomingRow) => void = () => undefined,
) {
  const { context, integration } = contextOf(config, options)
  const reader = openReader(context, integration)
  const { source, resources } = reader.connected
  const [resource] = resources
  if (resource === undefined) throw new Error('nothing is to be read')

  const ids: (string | null)[] = []
  const requests: ReadRequest[] = []
  let totals = NOTHING_INCOMING
  let attempts = 0
  const sink = {
    async add(row: IncomingRow) {
      onRow(row)
      ids.push(row.sourceId)
      const faults = totals.faults + (row.fault === null ? 0 : 1)
      totals = { ...totals, elements: totals.elements + 1, faults }
    },
    totals: () => totals,
    async rewind(to: IncomingTotals) {
      ids.length = to.elements
      totals = to
    },
  }
  const log = {
    attempt() {
      attempts += 1
    },
    read: (request: ReadRequest) => void requests.push(request),
  }
  const readPage = pageReader(reader, resource, sink, log)
  const restart = async () => {
    await sink.rewind(NOTHING_INCOMING)
    requests.length = 0
  }
  return {
    readPage,
    readToEnd: () =>
      readToProof(source, resource, { readPage, restart, save: async () => undefined, from: null, pages: 0 }),
    standing: () => ({ totals, attempts, requests, ids }),
  }
}

/**
 * Reads all users of Source A, or all registrants of Source B. `certified` is true if the reading was proved
 * to be complete.
 */
export async function readAttendees(source: Readonly<Record<string, unknown>>, options: ExtractOptions = {}) {
  const { readToEnd, standing } = openReading(source, options)
  const ending = await readToEnd().catch((error: unknown) => {
    if (error instanceof UnprovedError) return { proof: 'none', declared: null, detail: error.message }
    throw error
  })
  const { ids, requests, ...counts } = standing()
  const { proof: endProof, declared } = ending
  const detail = 'detail' in ending ? ending.detail : ''
  const reading = { ...counts, certified: endProof !== 'none', endProof, declared, detail }
  return {
    ids,
    /**
     * The recorded addresses of the answers. If the reading was started again, only addresses after the last
     * start are recorded.
     */
    addresses: requests.map(({ url }) => url),
    reading: { ...reading, requests: requests.length },
  }
}

/**
 * Makes a function that reads single answers of a server as pages of users of Source A.
 *
 * @param http options of the configuration; a failed request is not retried
 * @param onRow called with each record
 */
export function answerReader(
  url: string,
  http: Readonly<Record<string, unknown>> = {},
  onRow?: (row: IncomingRow) => void,
) {
  const { readPage, standing } = openReading(
    sourceA(url),
    { http: { retryBudgetSeconds: 0, ...http } },
    onRow,
  )
  return async (path: string, use: 'staged' | 'compared' = 'staged') => ({
    page: await readPage('page', new URL(`${url}/${path}`), null, use),
    totals: standing().totals,
  })
}
