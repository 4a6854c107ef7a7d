import { expect, test } from 'vitest'
import { configSchema } from '../../../pipeline/config/config.ts'
import { checkSecrets } from '../../../pipeline/inspect/set-up.ts'
import { machine } from '../../../pipeline/runtime/environment.ts'
import { silent } from '../../../pipeline/runtime/events.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')

function findingsOf(keys: object, env: Readonly<Record<string, string>>) {
  const source = { type: 'a', url: 'https://source.example', eventId: '1' }
  const integrations = [{ id: 'summit', source, platform: { type: 'jsonl' } }]
  const config = configSchema.parse({ integrations, ...keys })
  const secrets = { env, readFile: () => '', configFolder: '/' }
  const results = checkSecrets({ config, secrets, outputFolder: '/', environment: machine, events: silent })
  return results.map(({ rule, status, seen, todo }) => [rule.id, status, seen, todo])
}

const sealingKey = 'env:NEW'
const formerSealingKeys = ['env:OLD']

test.each([
  [{}, {}, []],
  [{ sealingKey }, { NEW: KEY }, [['sealingKey', 'ok', 'env:NEW can be used', null]]],
  [
    { sealingKey },
    {},
    [
      [
        'sealingKey',
        'failed',
        'sealingKey: the secret env:NEW does not exist',
        'set the environment variable NEW and try again',
      ],
    ],
  ],
  [
    { sealingKey, formerSealingKeys },
    { NEW: KEY },
    [
      [
        'sealingKey',
        'failed',
        'formerSealingKeys[0]: the secret env:OLD does not exist',
        'set the environment variable OLD and try again',
      ],
    ],
  ],
])('check fails if a run could not use the keys for forgotten people: %j with %j', (keys, env, expected) => {
  expect(findingsOf(keys, env)).toEqual(expected)
})
