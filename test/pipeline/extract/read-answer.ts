import { type IncomingRow, type IncomingTotals, NOTHING_INCOMING } from '../../../loaders/staging/incoming.ts'
import { configSchema } from '../../../pipeline/config.ts'
import { pageReader } from '../../../pipeline/extract/page-reader.ts'
import type { Page } from '../../../pipeline/extract/source.ts'
import { openReader } from '../../../pipeline/open-run.ts'
import { silentProgress } from '../../../pipeline/progress.ts'
import { testEnvironment } from './support.ts'

/** What came of one answer: the page, and its records as they would be written into the database. */
export interface AnswerRead {
  readonly page: Page
  readonly totals: IncomingTotals
}

/**
 * Makes what reads one answer of a server as a run reads a page of users of Source A, all but the database.
 *
 * @param http options of the configuration; there is no second try
 * @param onRow told of each record
 */
export function answerReader(
  url: string,
  http: Readonly<Record<string, unknown>> = {},
  onRow: (row: IncomingRow) => void = () => undefined,
): (path: string) => Promise<AnswerRead> {
  const config = configSchema.parse({
    integrations: [{ id: 'event', source: { type: 'a', url, eventId: '1' }, platform: { type: 'jsonl' } }],
    http: { retryBudgetSeconds: 0, ...http },
  })
  const [integration] = config.integrations
  if (integration === undefined) throw new Error('no integration')
  const secrets = { env: {}, readFile: () => '', configFolder: '/' }
  const common = { environment: testEnvironment(), outputFolder: '/nowhere', progress: silentProgress }
  const context = openReader({ ...common, config, secrets }, integration)
  const users = context.connected.resources.find(({ name }) => name === 'users')
  if (users === undefined) throw new Error('no users')

  return async (path) => {
    let totals: IncomingTotals = NOTHING_INCOMING
    const sink = {
      async add(row: IncomingRow) {
        onRow(row)
        const { elements, faults } = totals
        totals = { ...totals, elements: elements + 1, faults: faults + (row.fault === null ? 0 : 1) }
      },
      totals: () => totals,
      async rewind(to: IncomingTotals) {
        totals = to
      },
    }
    const log = { attempt: () => undefined, read: () => undefined }
    const page = await pageReader(context, users, sink, log)('page', new URL(`${url}/${path}`), null)
    return { page, totals }
  }
}
