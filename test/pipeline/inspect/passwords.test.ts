import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { configSchema } from '../../../pipeline/config/config.ts'
import { checkPasswords } from '../../../pipeline/inspect/set-up.ts'

const jsonl = { type: 'jsonl' }
const http = { type: 'http', url: 'https://platform.example', eventId: '1', token: 'env:TOKEN' }

/** Checks the passwords of an integration, and returns the results by rule. */
function findingsOf(
  passwords: Readonly<Record<string, unknown>> | undefined,
  env: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, unknown>> = { platform: http },
) {
  const config = configSchema.parse({
    sealingKey: 'env:SEAL',
    integrations: [
      {
        id: 'summit',
        source: { type: 'a', url: 'https://source.example', eventId: '1' },
        ...(passwords === undefined ? {} : { passwords }),
        ...more,
      },
    ],
  })
  const [integration] = config.integrations
  if (integration === undefined) throw new Error('there is no integration')
  const secrets = { env, readFile: () => '', configFolder: '/' }
  const results = checkPasswords(config, integration, secrets)
  return {
    all: JSON.stringify(results),
    ids: results.map(({ rule }) => rule.id),
    rule: (id: string) => results.find(({ rule }) => rule.id === id),
  }
}

const global = { mode: 'global', global: 'env:PASSWORD' }
const random = { mode: 'random', storeEncryptedPassword: true }

test('a platform of type jsonl gets no passwords, and the result says so', () => {
  const { ids, rule } = findingsOf(undefined, {}, { platform: jsonl })
  expect(ids).toEqual(['passwords'])
  expect(rule('passwords')).toMatchObject({ status: 'ok', rule: { clause: 'spec 5.2' } })
  expect(rule('passwords')?.seen).toContain('none is sent')
  const configured = findingsOf(global, { PASSWORD: 'canary6' }, { platform: jsonl })
  expect(configured.rule('passwords')?.seen).toContain('none is sent')
  expect(configured.rule('passwords.platform')?.seen).toMatch(/^if it were sent: /)
})

// test/pipeline/settings/secrets.test.ts tests which secrets are valid.
test('a secret that is valid, too short or missing is reported by its reference', () => {
  const secret = (env: Readonly<Record<string, string>>) => findingsOf(global, env).rule('passwords.secret')
  expect(secret({ PASSWORD: 'abcdef' })).toMatchObject({
    status: 'ok',
    seen: 'env:PASSWORD holds at least 6 characters',
  })
  expect(secret({ PASSWORD: 'abcde' })).toMatchObject({
    status: 'failed',
    seen: 'passwords.global of summit: the password in env:PASSWORD is too short',
  })
  expect(secret({})).toMatchObject({
    status: 'failed',
    seen: 'passwords.global of summit: the secret env:PASSWORD does not exist',
    todo: 'set the environment variable PASSWORD and try again',
  })
  const SEAL = randomBytes(32).toString('base64')
  expect(findingsOf(random, { SEAL }).rule('passwords.secret')?.status).toBe('ok')
  expect(findingsOf(random, { SEAL: 'canary' }).rule('passwords.secret')?.status).toBe('failed')
})

test('each mode reports the risk of short and shared passwords, and what to ask of the platform [R75]', () => {
  const shared = findingsOf({ ...global, storeEncryptedPassword: true }, { PASSWORD: 'abcdef' })
  expect(shared.rule('passwords.platform')).toMatchObject({ status: 'not checkable' })
  expect(shared.rule('passwords.platform')?.seen).toMatch(/sign in as any attendee.*welcome email/)
  expect(shared.rule('passwords.platform')?.todo).toMatch(/first sign-in.*limit.*mode: random/)
  const plain = findingsOf(global, { PASSWORD: 'abcdef' })
  expect(plain.rule('passwords.platform')?.seen).not.toContain('welcome email')
  const own = findingsOf(random)
  expect(own.rule('passwords.platform')?.seen).toMatch(/6 random characters.*guessed.*welcome email/)
  expect(findingsOf({ mode: 'none' }).ids).toEqual(['passwords'])
  expect(findingsOf(global, {}, { platform: http, content: ['agenda'] }).ids).toEqual(['passwords'])
})

test('no text contains a password or its length', () => {
  for (const PASSWORD of ['canary', 'canary-password-of-31-characters', 'cnry']) {
    const { all } = findingsOf(global, { PASSWORD })
    expect(all).not.toContain(PASSWORD)
    expect(all).not.toMatch(/\b(?:4|31|32)\b/)
  }
})
