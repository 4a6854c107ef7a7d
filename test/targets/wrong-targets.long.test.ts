import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../pipeline/config/config.ts'
import { importOutside } from '../../pipeline/config/import-outside.ts'
import { targetContractTests } from '../../pipeline/library/target-contract.ts'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import { peopleToken, servePeople } from '../../pipeline/targets/examples/people-server.ts'
import { openEngine } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'

const RIGHT = readFileSync(join(packageRoot, 'pipeline/targets/examples/people.ts'), 'utf8')
const folder = useFolder()

/** Runs the contract tests of a target until one of them fails, and returns the name of the failed test. */
async function failedTest(text: string): Promise<string> {
  writeFileSync(join(folder(), 'people.ts'), text)
  const type = './people.ts'
  const config = JSON.stringify({ integrations: [{ platform: { type } }] })
  const file = readConfig('event-sync.yaml', { env: {}, readFile: () => config })
  const target = (await importOutside(file, folder())).targets.get(type)
  if (target === undefined) throw new Error('the target was not imported')
  const { tests, close } = targetContractTests(
    {
      target,
      config: { eventId: 'spring', token: 'env:PEOPLE_TOKEN' },
      env: { PEOPLE_TOKEN: peopleToken },
      start: (now) => servePeople({ now }),
    },
    () => openEngine('postgres'),
  )
  try {
    for (const { name, run } of tests) {
      const message = await run().then(
        () => null,
        (error: unknown) => String(error),
      )
      if (message !== null) return `${name}: ${message}`
    }
    return 'no test failed'
  } finally {
    await close()
  }
}

test.each([
  ['drops the phone', "  phone: 'phone',\n", '', /fields that only other sources have/],
  ['drops the biography', "  biography: 'biography',\n", '', /fields that only other sources have/],
  ['drops custom fields', ', own_fields: toText(custom)', '', /every item arrives/],
  ['declares too large batches', 'batchSize: 50', 'batchSize: 60', /check limits\.batchSize/],
  ['declares no limit of requests', '  requestsPerMinute: 6,\n', '', /check limits\.requestsPerMinute/],
  ['declares too long texts', 'firstName: 190', 'firstName: 200', /a text of the declared length/],
])('the contract tests find a target that %s', async (_, right, wrong, expected) => {
  expect(RIGHT).toContain(right)
  expect(await failedTest(RIGHT.replace(right, wrong))).toMatch(expected)
})
