import { after, test } from 'node:test'
import { targetContractTests } from 'event-content-sync/testing'
import people from './targets/people.ts'
import { servePeople } from './targets/people-server.ts'

const { tests, close } = targetContractTests({
  target: people,
  config: { eventId: 'spring', token: 'env:PEOPLE_TOKEN' },
  env: { PEOPLE_TOKEN: 'people-import-token' },
  start: (now) => servePeople({ now }),
})
for (const { name, run } of tests) test(name, run)
after(close)
