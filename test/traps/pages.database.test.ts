import { describe, expect, test } from 'vitest'
import { readPack } from '../harness/read-pack.ts'
import { startSampleSourceB } from '../harness/sample-source/b.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Script, startScripted } from './scripted.ts'
import { syncFrom } from './sync.ts'
import { useOutput } from './traps.ts'
import { aUser } from './traps-of-a.ts'
import { bRegistrant } from './traps-of-b.ts'

interface Server {
  readonly url: string
  close(): Promise<void>
}

const ten = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
const users = (...ids: readonly string[]) => ids.map((id) => aUser(id))
const registrants = (...ids: readonly string[]) => ids.map((id) => bRegistrant(id))

// How pages are walked is held in test/pipeline/extract; here, what becomes of a run.
describe.each(engines)('pages on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useOutput()
  let id = 0

  /** Syncs from sources one after the other, for one integration. @returns how the last run ended, and its attendees */
  async function follow(type: 'a' | 'b', ...servers: readonly Promise<Server>[]) {
    id += 1
    const place = { database: database(), output: output(), id: `pages-${id}` }
    const reports = []
    for (const starting of servers) {
      const server = await starting
      const setup = { source: { type }, content: ['attendees'] } as const
      reports.push(await syncFrom(server.url, place, setup).finally(() => server.close()))
    }
    const { status, certified, output: pack } = reports.at(-1) ?? {}
    const attendees = pack == null ? [] : [...readPack(pack).items.attendees.keys()]
    return { status, certified, attendees }
  }

  test('an object where an array is due, or an error with status 200, is a failed read, not zero records [spec 4 p4, R2, R16]', async () => {
    const error = () => startScripted(() => ({ message: 'Event not found.' }))
    for (const type of ['a', 'b'] as const)
      expect(await follow(type, error())).toMatchObject({ status: 'failed', attendees: [] })
  })

  test('a source that moves with every reading is not certified, and what was not seen stays [R9]', async () => {
    const steady: Script = ({ at }) => users(...ten.slice(at, at + 3))
    // Each reading finds another element in front, and never comes as far as g.
    const moving: Script = ({ at, time }) => (at === 0 ? users('a', 'b', `c${time}`) : users('?', 'd'))
    expect(await follow('a', startScripted(steady), startScripted(moving))).toEqual({
      status: 'finished',
      certified: false,
      attendees: [...ten.slice(0, 3), 'c5', ...ten.slice(3)],
    })
  })

  test('items of Source B may be an object keyed by id, page by page until the total is met [spec 4.7, R14]', async () => {
    const data = { sessions: [], regTypes: [], registrants: registrants(...ten, 'a') }
    const server = startSampleSourceB(data, { pageCap: 3, itemsAs: 'object' })
    expect(await follow('b', server)).toEqual({
      status: 'finished',
      certified: true,
      attendees: ten,
    })
  })

  test('a source that says more in all than it gives is not certified [R14]', async () => {
    const script: Script = ({ at }) => ({
      items: registrants(...ten.slice((at - 1) * 3, at * 3)),
      _links: {},
      _meta: { totalCount: 12, currentPage: at, perPage: 3 },
    })
    expect(await follow('b', startScripted(script))).toEqual({
      status: 'finished',
      certified: false,
      attendees: ten,
    })
  })
})
