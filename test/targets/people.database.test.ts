import { afterAll, describe, expect, test } from 'vitest'
import { type TargetSubject, targetContractTests } from '../../pipeline/library/target-contract.ts'
import people from '../../pipeline/targets/examples/people.ts'
import {
  type PeoplePlatform,
  peopleToken,
  servePeople,
} from '../../pipeline/targets/examples/people-server.ts'
import { engines, openEngine } from '../support/engines.ts'

let platform: PeoplePlatform | undefined

const subject: TargetSubject = {
  target: people,
  config: { eventId: 'spring', token: 'env:PEOPLE_TOKEN' },
  env: { PEOPLE_TOKEN: peopleToken },
  async start(now) {
    platform = await servePeople({ now, pageSize: 10 })
    return platform
  },
}

describe.each(engines)('on %s', (engine) => {
  const { tests, close } = targetContractTests(subject, () => openEngine(engine))
  for (const { name, run } of tests) test(name, run)
  test('the platform itself has seen no request too many', () => expect(platform?.exceeded).toBe(0))
  afterAll(close)
})
