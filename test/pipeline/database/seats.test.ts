import type pg from 'pg'
import { expect, test } from 'vitest'
import { seated, seatsFor } from '../../../pipeline/database/seats.ts'

/** Makes a pool that counts the clients in use. Its connections fail while `isDown` is true. */
function fakePool() {
  const state = { inUse: 0, isDown: false }
  const pool = {
    async connect() {
      if (state.isDown) throw new Error('the server is down')
      state.inUse += 1
      return {
        release() {
          state.inUse -= 1
        },
      }
    },
  } as unknown as pg.Pool
  return { state, pool }
}

const soon = () => new Promise((resolve) => setImmediate(resolve))

test.each([
  [1, { queries: 2, copies: 5 }],
  [4, { queries: 4, copies: 2 }],
  [8, { queries: 8, copies: 2 }],
  [100, { queries: 100, copies: 25 }],
])('%i runs at the same time get connections', (runs, seats) => {
  expect(seatsFor(runs)).toEqual(seats)
})

test('connections are given in the order of asking, and never more than the seats', async () => {
  const { state, pool } = fakePool()
  const connect = seated(pool, 2)
  const [first] = [await connect(), await connect()]
  const order: string[] = []
  const third = connect().then((client) => {
    order.push('third')
    return client
  })
  const fourth = connect().then(() => void order.push('fourth'))
  await soon()
  expect([state.inUse, order]).toEqual([2, []])
  first.release()
  const client = await third
  expect([state.inUse, order]).toEqual([2, ['third']])
  client.release()
  await fourth
  expect([state.inUse, order]).toEqual([2, ['third', 'fourth']])
})

test('who has a connection learns that others wait for it, also if they waited before', async () => {
  const connect = seated(fakePool().pool, 1)
  const told: string[] = []
  const first = await connect(() => told.push('first'))
  expect(told).toEqual([])
  const second = connect(() => told.push('second'))
  const third = connect(() => told.push('third'))
  expect(told).toEqual(['first', 'first'])
  first.release()
  ;(await second).release()
  await third
  expect(told).toEqual(['first', 'first', 'second'])
})

test('a failed connection frees its seat', async () => {
  const { state, pool } = fakePool()
  const connect = seated(pool, 1)
  state.isDown = true
  await expect(connect()).rejects.toThrow('the server is down')
  state.isDown = false
  expect(await connect()).toBeDefined()
})
