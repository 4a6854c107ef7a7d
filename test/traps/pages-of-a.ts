import { describe, expect, test } from 'vitest'
import { startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Pack, readPack } from './pack.ts'
import { type Script, startScripted } from './scripted.ts'
import { syncFrom } from './sync.ts'
import { useOutput } from './traps.ts'
import { aUser } from './traps-of-a.ts'

const setup = { source: { type: 'a' }, content: ['attendees'] } as const
const users = (...ids: readonly string[]) => ids.map((id) => aUser(id))
const ten = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']

/** A page of a source that gives at most three elements. */
const page = (ids: readonly string[], skip: number) => users(...ids.slice(skip, skip + 3))

/** Ids of the attendees that the platform should have, and of the records that repeat an id. */
function outcome({ items, decisions }: Pack) {
  const repeated = decisions.filter(({ reason }) => reason === 'duplicate_id')
  return { attendees: [...items.attendees.keys()], repeated: repeated.map(({ sourceId }) => sourceId) }
}

describe.each(engines)('pages of Source A, on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useOutput()
  let id = 0

  /** Syncs from sources that follow scripts, one after the other, for one integration. */
  async function follow(...scripts: readonly Script[]) {
    id += 1
    const place = { database: database(), output: output(), id: `pages-${id}` }
    const reports = []
    for (const script of scripts) {
      const server = await startScripted(script)
      try {
        reports.push(await syncFrom(server.url, place, setup))
      } finally {
        await server.close()
      }
    }
    const last = reports.at(-1)
    const ended = { status: last?.status, certified: last?.certified }
    return last?.status === 'finished' ? { ...ended, ...outcome(readPack(last.output ?? '')) } : ended
  }
  const whole = (attendees: readonly string[], repeated: readonly string[] = []) => ({
    status: 'finished',
    certified: true,
    attendees,
    repeated,
  })

  async function withCap(pageCap: number, envelope: 'array' | 'value') {
    id += 1
    const none = { Sessions: [], TimeSlots: [], Rooms: [], Tracks: [], SessionTypes: [] }
    const server = await startSampleSourceA({ ...none, Users: users(...ten) }, { pageCap, envelope })
    try {
      const place = { database: database(), output: output(), id: `pages-${id}` }
      const report = await syncFrom(server.url, place, setup)
      return { status: report.status, certified: report.certified, ...outcome(readPack(report.output ?? '')) }
    } finally {
      await server.close()
    }
  }

  test('a source that gives at most three elements a page is read to its end', async () => {
    expect(await withCap(3, 'array')).toEqual(whole(ten))
  })

  test('a page that is full to the last element is not the end', async () => {
    expect(await withCap(10, 'array')).toEqual(whole(ten))
  })

  test('an envelope with next links is read to its end', async () => {
    expect(await withCap(3, 'value')).toEqual(whole(ten))
  })

  test('a short page proves nothing: what comes after it is read', async () => {
    const short: Script = ({ at }) => page(ten, at).slice(0, at === 0 || at === 3 ? 2 : 3)
    expect(await follow(short)).toEqual(whole(ten))
  })

  test('no elements at all are no attendees', async () => {
    expect(await follow(() => [])).toEqual(whole([]))
  })

  test('a source that gets an element in front while it is read is read anew', async () => {
    const moved = ['0', ...ten]
    expect(await follow(({ at, time }) => page(time === 1 ? ten : moved, at))).toEqual(whole(moved))
  })

  test('a source that loses an element in front while it is read is read anew', async () => {
    const moved = ten.slice(1)
    expect(await follow(({ at, time }) => page(time <= 2 ? ten : moved, at))).toEqual(whole(moved))
  })

  test('a source that loses all its elements while it is read is read anew, and has none', async () => {
    expect(await follow(({ at, time }) => page(time <= 2 ? ten : [], at))).toEqual(whole([]))
  })

  test('an element that is replaced at the border of two pages is not missed', async () => {
    const replaced = ['a', 'b', 'x', 'd', 'e']
    const before = ['a', 'b', 'c', 'd', 'e']
    expect(await follow(({ at, time }) => page(time === 1 ? before : replaced, at))).toEqual(
      whole(['a', 'b', 'd', 'e', 'x']),
    )
  })

  test('a page that comes again instead of the next one is no page', async () => {
    const again: Script = ({ at, time }) => page(ten, time === 2 ? 0 : at)
    expect(await follow(again)).toEqual(whole(ten))
  })

  test('a page that begins rightly and goes on with elements that were read before repeats their ids', async () => {
    // The source holds a, b, c, a, b: one list with two ids twice.
    expect(await follow(({ at }) => page(['a', 'b', 'c', 'a', 'b'], at))).toEqual(
      whole(['a', 'b', 'c'], ['a', 'b']),
    )
  })

  test('a source that ignores $skip and gives fewer than it may is read whole', async () => {
    expect(await follow(() => users('a', 'b', 'c'))).toEqual(whole(['a', 'b', 'c']))
  })

  test('a source that ignores $skip and gives as many as it may has perhaps cut its answer: a failed read', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => aUser(`m${index}`))
    expect(await follow(() => many)).toMatchObject({ status: 'failed' })
  })

  test('an object where an array is due is a failed read, not zero records', async () => {
    expect(await follow(() => ({ Message: 'The event is not public.' }))).toMatchObject({ status: 'failed' })
  })

  test('an object where the second page is due fails the read as well', async () => {
    expect(await follow(({ at }) => (at === 0 ? users('a', 'b') : { Message: 'Busy' }))).toMatchObject({
      status: 'failed',
    })
  })

  test('a source that moves with every reading is not certified, and what was not seen stays', async () => {
    const steady: Script = ({ at }) => page(ten, at)
    // Each reading finds another element in front, and never comes as far as g.
    const moving: Script = ({ at, time }) => (at === 0 ? users('a', 'b', `c${time}`) : users('?', 'd'))
    expect(await follow(steady, moving)).toEqual({
      status: 'finished',
      certified: false,
      attendees: [...ten.slice(0, 3), 'c5', ...ten.slice(3)],
      repeated: [],
    })
  })
})
