import { readPack } from '../harness/read-pack.ts'
import type { Resources } from '../harness/serve-records.ts'
import type { Engine } from '../support/engines.ts'
import { useOneFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Setup, syncRecords } from './sync.ts'
import { aSession, aUser, SLOT_0 } from './traps-of-a.ts'

export const OF_A: Setup = { source: { type: 'a' } }
export const speaks = { SpeakingAt: [{ Id: 's0' }] }
export const ofA = (users: readonly unknown[], sessions: readonly unknown[] = []): Resources => ({
  TimeSlots: [SLOT_0],
  Sessions: [aSession('s0'), ...sessions],
  Users: users,
})

/** Returns functions that sync with a database of this engine, each time as another integration. */
export function useSecondSync(engine: Engine) {
  const database = useDatabase(engine)
  const output = useOneFolder()
  let id = 0

  function nextPlace() {
    id += 1
    return { database: database(), output, id: `second-${id}` }
  }

  /**
   * Syncs twice. Returns the operations of the second sync, and the reasons why the second sync does not sync
   * certain records.
   */
  async function second(setup: Setup, before: Resources, after: Resources) {
    const place = nextPlace()
    await syncRecords(place, setup, before)
    const { output: folder } = await syncRecords(place, setup, after)
    const { operations, decisions } = readPack(folder ?? '')
    return {
      sent: operations.map(({ op, content, uniqueId, reason }) =>
        [op, content, uniqueId, reason].filter((part) => part !== undefined).join(' '),
      ),
      reasons: decisions.flatMap(({ content, sourceId, reason }) =>
        reason === null ? [] : [`${content} ${sourceId} ${reason}`],
      ),
    }
  }
  return { second, nextPlace }
}

export const PICTURE = 'https://files.example/1.jpg'
export const user = (address: string, more: object = {}) =>
  ofA([aUser('u', { ...speaks, PhotoLink: address, ...more })])
export const linked = (...Links: readonly string[]) => ofA([], [aSession('s', { Links })])
