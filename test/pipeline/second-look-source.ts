import { expect, onTestFinished } from 'vitest'
import type { Database } from '../../sql/database.ts'
import { readRows } from '../harness/read-pack.ts'
import { Refusal, startScripted } from '../traps/scripted.ts'
import type { Setup } from '../traps/sync.ts'
import { bRegistrant } from '../traps/traps-of-b.ts'
import { type Ended, makeIntegration, newPlace } from './guarded-integration.ts'

// Before the item of a missing record is removed, the record is looked for a second time.

export const ATTENDEES_B: Setup = { source: { type: 'b', timeZone: 'UTC' }, content: ['attendees'] }
const PAGE = 3

/**
 * Answers a request for records by their ids. `found` contains the requested records, and `page` returns the
 * requested page of a list.
 */
export type IdAnswer = (asked: {
  readonly found: readonly ReturnType<typeof bRegistrant>[]
  readonly all: readonly unknown[]
  readonly page: (list: readonly unknown[]) => unknown
}) => unknown

export function certificateOf({ report }: Ended, resource: string) {
  const [header = [], ...rows] = readRows(report.output ?? '', 'certificates.csv') ?? []
  const row = rows.find(([name]) => name === resource)
  return Object.fromEntries(header.map((column, at) => [column, row?.[at]]))
}

/**
 * Starts a Source B with seven registrants in pages of three. The test can change the registrants before a
 * page is answered.
 */
export async function startB(
  database: Database,
  changes: Map<string, readonly string[]> = new Map(),
  setup: Setup = ATTENDEES_B,
  answer: IdAnswer = ({ found, page }) => page(found),
) {
  let ids: readonly string[] = ['g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7']
  let asked: string[] = []
  const source = await startScripted(({ resource, at, ids: sought }) => {
    if (resource !== 'registrants') return { items: [], _meta: { totalCount: 0, currentPage: 1 } }
    asked.push(sought === null ? `page ${at}` : `ids ${[...sought].join(' ')}`)
    ids = changes.get(`${asked.length}`) ?? ids
    const page = (list: readonly unknown[]) => ({
      items: list.slice((at - 1) * PAGE, at * PAGE),
      _meta: { totalCount: list.length, currentPage: at, pageCount: Math.ceil(list.length / PAGE) },
    })
    const all = ids.map((id) => bRegistrant(id))
    if (sought === null) return page(all)
    return answer({ found: all.filter(({ id }) => sought.has(String(id))), all, page })
  })
  onTestFinished(() => source.close())
  const integration = makeIntegration(newPlace(database), source.url, setup)
  return {
    changes,
    async run(given: Readonly<Record<string, readonly string[]>> = {}) {
      asked = []
      changes.clear()
      for (const [request, list] of Object.entries(given)) changes.set(request, list)
      const ended = await integration.run()
      return { ...ended, asked }
    },
  }
}

export const refused = (status: number) => () => new Refusal(status)

/**
 * Expects that all records are read a second time if the source answers requests for ids in this way.
 *
 * @param questions number of requests for ids
 */
export async function expectSecondReading(
  database: Database,
  answer: IdAnswer,
  questions: number,
): Promise<void> {
  const source = await startB(database, new Map(), ATTENDEES_B, answer)
  await source.run()
  const ended = await source.run({ '1': ['g1', 'g2', 'g3', 'g5', 'g6', 'g7'] })
  expect(ended).toMatchObject({ code: 0, sent: ['remove attendees g4'] })
  expect(ended.asked).toEqual([
    'page 1',
    'page 2',
    ...Array.from({ length: questions }, () => 'ids g1 g4 g7'),
    'page 1',
    'page 2',
  ])
  expect(certificateOf(ended, 'registrants')).toMatchObject({
    certified: 'true',
    confirmed: 'true',
    requests: '4',
    elements: '6',
  })
  const drifted = await source.run({ '2': ['g2', 'g3', 'g5', 'g6', 'g7', 'g8'] })
  expect(drifted).toMatchObject({ code: 0, sent: ['upsert attendees g8'] })
}
