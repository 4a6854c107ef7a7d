import { afterAll, describe, test } from 'vitest'
import { type ContractSubject, contractTests } from '../../../pipeline/library/contract.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import { full } from './full.ts'
import { serveSessionize } from './serve.ts'
import sessionize from './sessionize.ts'

const subject: ContractSubject = {
  source: sessionize,
  config: { eventId: 'spring', timeZone: 'Europe/Vienna' },
  full,
  serve: serveSessionize,
}

describe.each(engines)('on %s', (engine) => {
  const { tests, close } = contractTests(subject, useDatabase(engine))
  for (const { name, run } of tests) test(name, run)
  afterAll(close)
})
