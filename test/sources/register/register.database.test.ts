import { afterAll, describe, test } from 'vitest'
import { contractTests } from '../../../pipeline/library/contract.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import register from './register.ts'
import { serveRegister } from './serve.ts'

const guests = {
  id: 'G1',
  first: 'Augusta',
  last: 'Lovelace',
  email: 'augusta@engines.example',
  company: 'Engines',
  refunded: false,
  changed: '2021-01-01T09:00:00+02:00',
}

describe.each(engines)(
  'a source that is read by changes, with keys that can be replaced, on %s',
  (engine) => {
    const subject = {
      source: register,
      config: { eventId: 'spring' },
      full: { guests },
      serve: serveRegister,
    }
    const { tests, close } = contractTests(subject, useDatabase(engine))
    for (const { name, run } of tests) test(name, run)
    afterAll(close)
  },
)
