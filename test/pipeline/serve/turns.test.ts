import { expect, test } from 'vitest'
import { type ClientState, Turns } from '../../../pipeline/serve/turns.ts'
import type { EngineSession } from '../../../sql/database.ts'

test('a client that leaves its transaction open is disconnected when another client waits', async () => {
  let isInTransaction = false
  const session: EngineSession = {
    async send(messages) {
      const text = Buffer.from(messages).toString()
      if (text.includes('begin')) isInTransaction = true
      if (text.includes('rollback')) isInTransaction = false
    },
    isInTransaction: () => isInTransaction,
  }
  const turns = new Turns(session, 10)
  const evicted: string[] = []
  const open = (name: string): ClientState => {
    const evict = () => {
      evicted.push(name)
      void turns.leave(client)
    }
    const client = { settings: {}, statements: new Map(), isUnsynced: false, evict }
    return client
  }
  const [idle, waiting] = [open('idle'), open('waiting')]
  await turns.take(idle, () => session.send(Buffer.from('begin'), () => undefined))
  await turns.take(idle, async () => undefined)
  expect(evicted).toEqual([])
  expect(await turns.take(waiting, async () => 'its turn')).toBe('its turn')
  expect(evicted).toEqual(['idle'])
})
