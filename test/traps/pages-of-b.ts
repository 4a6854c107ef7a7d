import { describe, expect, test } from 'vitest'
import { startSampleSourceB } from '../../pipeline/demo/sample-source-b.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Pack, readPack } from './pack.ts'
import { type Script, startScripted } from './scripted.ts'
import { syncFrom } from './sync.ts'
import { useOutput } from './traps.ts'
import { bRegistrant } from './traps-of-b.ts'

const setup = { source: { type: 'b' }, content: ['attendees'] } as const
const registrants = (...ids: readonly string[]) => ids.map((id) => bRegistrant(id))
const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

/** A page of a source that gives at most three elements, in the envelope of Source B. */
function page(ids: readonly string[], number: number, perPage = 3): unknown {
  const items = registrants(...ids.slice((number - 1) * perPage, number * perPage))
  return { items, _links: {}, _meta: { totalCount: ids.length, currentPage: number, perPage } }
}

function outcome({ items, decisions }: Pack) {
  const repeated = decisions.filter(({ reason }) => reason === 'duplicate_id')
  return { attendees: [...items.attendees.keys()], repeated: repeated.map(({ sourceId }) => sourceId) }
}

describe.each(engines)('pages of Source B, on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useOutput()
  let id = 0

  async function syncAt(server: { readonly url: string; close(): Promise<void> }) {
    id += 1
    try {
      const place = { database: database(), output: output(), id: `pages-of-b-${id}` }
      const report = await syncFrom(server.url, place, setup)
      const ended = { status: report.status, certified: report.certified }
      return report.status === 'finished' ? { ...ended, ...outcome(readPack(report.output ?? '')) } : ended
    } finally {
      await server.close()
    }
  }
  const follow = async (script: Script) => syncAt(await startScripted(script))
  const whole = (attendees: readonly string[], repeated: readonly string[] = []) => ({
    status: 'finished',
    certified: true,
    attendees,
    repeated,
  })

  test('a source that gives at most three elements a page is read until the total is met', async () => {
    const data = { sessions: [], regTypes: [], registrants: registrants(...seven) }
    expect(await syncAt(await startSampleSourceB(data, { pageCap: 3 }))).toEqual(whole(seven))
  })

  test('items may be an object keyed by id, in which an id may come twice', async () => {
    const data = { sessions: [], regTypes: [], registrants: registrants('a', 'b', 'a') }
    const server = await startSampleSourceB(data, { itemsAs: 'object' })
    expect(await syncAt(server)).toEqual(whole(['a', 'b'], ['a']))
  })

  test('a bare array is one page', async () => {
    expect(await follow(() => registrants(...seven))).toEqual(whole(seven))
  })

  test('a total of none is no attendees', async () => {
    expect(await follow(() => page([], 1))).toEqual(whole([]))
  })

  test('a source whose total changes while it is read is read anew', async () => {
    // With the element in front, the first total would be met without f.
    const [before, after] = [seven.slice(0, 6), ['0', ...seven.slice(0, 6)]]
    expect(await follow(({ at, time }) => page(time === 1 ? before : after, at))).toEqual(whole(after))
  })

  test('a page that gives its number as another is read anew', async () => {
    expect(await follow(({ at, time }) => page(seven, time === 2 ? 1 : at))).toEqual(whole(seven))
  })

  test('a source that says fewer in all than it gives is not certified', async () => {
    const short: Script = ({ at }) => ({ ...(page(seven, at) as object), _meta: { totalCount: 2 } })
    expect(await follow(short)).toMatchObject({ status: 'finished', certified: false })
  })

  test('a source that says more in all than it gives is not certified', async () => {
    const long: Script = ({ at }) => ({ ...(page(seven, at) as object), _meta: { totalCount: 9 } })
    expect(await follow(long)).toEqual({ ...whole(seven), certified: false })
  })

  test('a full page of nothing new, over and over, is a failed read', async () => {
    const meta = { totalCount: 9 }
    expect(await follow(() => ({ items: registrants('a', 'b', 'c'), _meta: meta }))).toMatchObject({
      status: 'failed',
    })
  })

  test('an error with status 200 is a failed read, not zero records', async () => {
    expect(await follow(() => ({ message: 'Event not found.' }))).toMatchObject({ status: 'failed' })
  })
})
