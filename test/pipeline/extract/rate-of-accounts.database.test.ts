import { expect, test } from 'vitest'
import { openReader } from '../../../pipeline/context/open-run.ts'
import {
  creditsInMemory,
  makeRateBudgets,
  type RateBudgets,
  type TakeCredits,
} from '../../../pipeline/http/rate.ts'
import type { Environment } from '../../../pipeline/runtime/environment.ts'
import { takeCredits } from '../../../sql/rate-budgets.ts'
import { openCreditWindow } from '../../harness/sample-source/b.ts'
import { useDatabase } from '../../support/use-database.ts'
import { contextOf, sourceA, sourceB, testEnvironment } from './support.ts'

type SourceOptions = Parameters<typeof contextOf>[0]

const COST = 10
const CREDITS = 200
const PAGES_OF_WINDOW = CREDITS / COST
const ACCOUNTS = Array.from({ length: 10 }, (_, index) => index)
const { signal } = new AbortController()
const database = useDatabase('postgres')

interface Reading {
  readonly environment: Environment
  readonly budgets: RateBudgets
  readonly source: SourceOptions
  readonly apiKey: string
  readonly pages: number
  readonly onWait?: () => void
}

/** Reads pages with the credentials of one account. Each answer takes one second of the simulated clock. */
async function readPages({ environment, budgets, source, apiKey, pages, onWait }: Reading): Promise<void> {
  const { context, integration } = contextOf(source, { environment, ...(onWait && { onWait }) })
  const secrets = { ...context.secrets, env: { ...context.secrets.env, API_KEY: apiKey } }
  const { rate } = openReader({ ...context, secrets, budgets }, integration)
  const account = openCreditWindow(CREDITS, environment.now)
  for (let page = 0; page < pages; page += 1) {
    const spent = await rate.spend(`page ${page}`, signal)
    await environment.sleep(1000)
    const { granted, headers } = account.spend(COST)
    expect(granted).toBe(true)
    await spent({ status: 200, headers: { get: (name) => new Headers(headers).get(name) } })
  }
}

/**
 * Reads the pages of all accounts at the same time. Each account starts half a minute after the previous one.
 *
 * @returns the elapsed milliseconds, by a clock that moves only during sleeps
 */
async function elapsedMs(sourceOf: (account: number) => SourceOptions): Promise<number> {
  const environment = testEnvironment()
  const startMs = environment.now()
  const budgets = makeRateBudgets(environment, creditsInMemory(environment))
  const readings = ACCOUNTS.map(async (one) => {
    await environment.sleep(one * 30_000)
    const pages = PAGES_OF_WINDOW * 2
    await readPages({ environment, budgets, source: sourceOf(one), apiKey: `key ${one}`, pages })
  })
  await Promise.all(readings)
  return environment.now() - startMs
}

test('ten accounts on one host are read as fast as ten accounts on ten hosts', async () => {
  const onTenHosts = await elapsedMs((one) => sourceB(`https://source-b-${one}.example`))
  expect(await elapsedMs(() => sourceB('https://source-b.example'))).toBe(onTenHosts)
})

test('ten processes that share a PostgreSQL use up the credits of ten accounts on one host without a wait', async () => {
  const source = sourceB('https://source-b.example')
  const onWait = () => {
    throw new Error('it waits')
  }
  const readings = ACCOUNTS.map((one) => {
    const environment = testEnvironment()
    const budgets = makeRateBudgets(environment, (account, order) =>
      takeCredits(database().kysely, account, order),
    )
    const apiKey = `key ${one}`
    return readPages({ environment, budgets, source, apiKey, pages: PAGES_OF_WINDOW, onWait })
  })
  await Promise.all(readings)
})

test('the key of a rate budget is the host, with a hash of the credentials that does not reveal them', async () => {
  const keys: string[] = []
  const take: TakeCredits = async (account) => {
    keys.push(account)
    return { isGranted: true, waitMs: 0 }
  }
  const keyOf = async (source: SourceOptions, apiKey: string) => {
    const environment = testEnvironment()
    const budgets = makeRateBudgets(environment, take)
    await readPages({ environment, budgets, source, apiKey, pages: 1 })
    return keys.at(-1)
  }
  const ofB = sourceB('https://source-b.example:8443/west')
  expect(await keyOf(ofB, 'key 1')).toMatch(/^source-b\.example:8443 [0-9a-f]{8}$/)
  expect(await keyOf(ofB, 'key 1')).toBe(keys[0])
  expect(await keyOf(ofB, 'key 2')).not.toBe(keys[0])
  expect(await keyOf(sourceA('https://source-a.example'), 'key 1')).toBe('source-a.example')
})
