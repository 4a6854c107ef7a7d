import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { codeOf } from '../../../pipeline/commands/exit-code.ts'
import {
  resolveGlobalPassword,
  resolveSealingKeys,
  resolveSecret,
  Secret,
  type SecretEnvironment,
} from '../../../pipeline/config/config.ts'
import { complaints, configErrorOf, load, sourceA, sourceB } from '../config/samples.ts'

const canary = 'CANARY-7f3a'

describe('a literal secret', () => {
  const refused = 'must be env:NAME or file:PATH, not the secret itself (not shown)'
  const platform = (token: string) =>
    `${sourceA.replace('{type: jsonl}', `{type: http, url: https://p.example, eventId: 1, token: ${token}}`)}    passwords: {mode: none}\n`
  test.each([
    ['database', (value: string) => `${sourceA}database: ${value}\n`],
    ['sealingKey', (value: string) => `${sourceA}sealingKey: ${value}\n`],
    ['audit.signingKey', (value: string) => `${sourceA}audit: {signingKey: ${value}}\n`],
    ['integrations[0].source.apiKey', (value: string) => sourceB.replace('env:KEY', value)],
    [
      'integrations[0].source.authenticationSecret',
      (value: string) => sourceB.replace('file:secret.txt', value),
    ],
    ['integrations[0].platform.token', platform],
    [
      'integrations[0].passwords.global',
      (value: string) => `${sourceA}    passwords: {mode: global, global: ${value}}\n`,
    ],
  ])(
    'a literal secret is refused at %s, and the error does not repeat it [spec 2.5.3, R53]',
    (path, yaml) => {
      for (const value of [
        canary,
        `"env: ${canary}"`,
        `env:${canary}`,
        `[${canary}]`,
        `ENV:${canary}`,
        '12345678',
      ]) {
        const [complaint, ...others] = complaints(yaml(value))
        expect(others).toStrictEqual([])
        expect(complaint?.replace(/^event-sync\.yaml:\d+: /, '')).toBe(`${path}: ${refused}`)
      }
      expect(() => load(yaml('env:NAME_1'))).not.toThrow()
      expect(() => load(yaml('file:/run/secrets/key one.txt'))).not.toThrow()
    },
  )

  test.each([
    `${sourceB}      apiKey:${canary}\n`,
    `${sourceB}      url: https://u:${canary}@x\n`,
    `${sourceB.replace('https://source-b.example', `u:${canary}@x`)}`,
    `${sourceB.replace('https://source-b.example', `ftp://x/?key=${canary}`)}`,
    `${sourceB.replace('apiKey: env:KEY', `apiKey: *${canary}`)}`,
    `${sourceB.replace('apiKey: env:KEY', `apiKey: !${canary} x`)}`,
    `${sourceB.replace('apiKey: env:KEY', `apiKey: @${canary}`)}`,
    `${sourceB.replace('apiKey: env:KEY', `apiKey: |${canary}`)}`,
    `${sourceB.replace('apiKey: env:KEY', `apiKey: env:KEY\n      apiKey: ${canary}`)}`,
    `${sourceB}    passwords: ${canary}\n`,
    `${sourceB}    passwords: {mode: ${canary}}\n`,
    `${sourceB}    passwords: {mode: none, global: ${canary}}\n`,
    `${sourceB}    passwords: {mode: none, password: ${canary}}\n`,
  ])('%#: an error never repeats a literal secret, even if the secret is at a wrong key [R74]', (yaml) => {
    const error = configErrorOf(() => load(yaml))
    expect(error.problems).not.toHaveLength(0)
    expect(`${error.message}${inspect(error, { depth: 9 })}${JSON.stringify(error)}`).not.toContain('CANARY')
  })
})

describe('a secret', () => {
  const files: Record<string, string> = {
    '/etc/conf/key.txt': `${canary}\r\n`,
    '/etc/conf/two.txt': `\uFEFF ${canary}\n\n`,
    '/run/empty': '\n',
  }
  const environment: SecretEnvironment = {
    env: { KEY: ` ${canary}\n`, EMPTY: '' },
    readFile: (path) => {
      const content = files[path]
      if (content === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
      return content
    },
    configFolder: '/etc/conf',
  }

  test('a secret from an environment variable is used unchanged', () => {
    expect(resolveSecret('env:KEY', environment, 'x').reveal()).toBe(` ${canary}\n`)
  })

  test('a secret from a file loses its last newline, and the path of the file is relative to the configuration file', () => {
    expect(resolveSecret('file:key.txt', environment, 'x').reveal()).toBe(canary)
    expect(resolveSecret('file:./two.txt', environment, 'x').reveal()).toBe(` ${canary}\n`)
    expect(resolveSecret('file:/etc/conf/key.txt', environment, 'x').reveal()).toBe(canary)
  })

  test.each([
    [
      'env:NONE',
      'source.apiKey: the secret env:NONE does not exist; set the environment variable NONE and try again',
    ],
    ['env:EMPTY', 'source.apiKey: the secret env:EMPTY is empty; put a value there and try again'],
    [
      'file:none',
      'source.apiKey: the secret file:none cannot be read (ENOENT: no such file or directory); check the file /etc/conf/none and try again',
    ],
    [
      'file:/run/empty',
      'source.apiKey: the secret file:/run/empty is empty; put a value there and try again',
    ],
  ] as const)(
    'a secret that is missing (%s) is an error with its key and its reference',
    (reference, message) => {
      const error = configErrorOf(() => resolveSecret(reference, environment, 'source.apiKey'))
      expect(error.message).toBe(message)
      expect(codeOf(error)).toBe(64)
    },
  )

  test('a secret is not printed by accident [R74]', () => {
    const secret = new Secret(canary)
    const printed = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: 9 }),
      inspect(secret, { customInspect: false, showHidden: true }),
      JSON.stringify(Object.entries(secret)),
    ]
    expect(printed.join(' ')).not.toContain(canary)
    expect(printed[0]).toBe('[secret]')
    expect(secret.reveal()).toBe(canary)
  })

  describe('that is the global password', () => {
    const resolve = (password: string, passwords = '{mode: global, global: env:P}') => {
      const [integration] = load(`${sourceA}    passwords: ${passwords}\n`).integrations
      if (integration === undefined) throw new Error('no integration')
      return resolveGlobalPassword(integration, { ...environment, env: { P: password } })
    }

    test('the global password has at least 6 characters, counted as characters and not as bytes [spec 5.2.1, spec 8.1, R53]', () => {
      expect(resolve('Abc 12')?.reveal()).toBe('Abc 12')
      expect(resolve('äöüßéè')?.reveal()).toBe('äöüßéè')
      for (const short of ['CANA5', '😀😀😀😀😀']) {
        const { message } = configErrorOf(() => resolve(short))
        expect(message).toBe(
          'passwords.global of summit: the password in env:P is too short; use at least 6 characters',
        )
      }
    })

    test('the global password is read only with `mode: global`', () => {
      expect(resolve('', '{mode: none}')).toBeNull()
    })
  })

  test('the sealing key must have 32 bytes in base64 [R73]', () => {
    const config = load(`${sourceA}sealingKey: env:SEAL\n`)
    const resolve = (SEAL: string) => resolveSealingKeys(config, { ...environment, env: { SEAL } })
    const key = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='
    expect(resolve(key)).toEqual([Buffer.from(key, 'base64')])
    for (const bad of [key.slice(4), `${key}\n`, key.replace('AA', '--'), canary]) {
      const { message } = configErrorOf(() => resolve(bad))
      expect(message).toBe(
        'sealingKey: the secret env:SEAL is not 32 bytes in base64; create one with `openssl rand -base64 32`',
      )
    }
    expect(resolveSealingKeys(load(sourceA), environment)).toBeNull()
  })
})
