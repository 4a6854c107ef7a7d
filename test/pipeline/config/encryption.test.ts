import { expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../../pipeline/config/config.ts'

const config = (url: string, platform = 'https://platform.example') => `
integrations:
  - id: summit
    source: {type: a, url: "${url}", eventId: "1"}
    platform: {type: http, url: "${platform}", eventId: "1", token: env:TOKEN}
    passwords: {mode: none}
`

const load = (text: string, insecureHttp = false) =>
  loadConfig('event-sync.yaml', { env: {}, readFile: () => text, insecureHttp })

test.each([
  'http://source-a.example',
  'HTTP://source-a.example:8080/base',
  'http://192.168.0.4',
  'http://[2001:db8::1]',
  'http://127.0.0.1.example',
  'http://localhost.example',
])('the address %s is refused with its line, because everything would be sent unencrypted', (url) => {
  expect(() => load(config(url))).toThrow(ConfigError)
  expect(() => load(config(url))).toThrow(
    /event-sync\.yaml:4:.*integrations\[0\]\.source\.url.*--insecure-http/,
  )
  expect(load(config(url), true).integrations).toHaveLength(1)
})

test.each([
  'https://source-a.example',
  'http://127.0.0.1:4242',
  'http://127.9.9.9',
  'http://[::1]:80',
  'http://localhost:3000/base',
  'http://a.localhost',
])('the address %s is accepted, because it is encrypted or never leaves this machine', (url) => {
  expect(load(config(url)).integrations).toHaveLength(1)
})

test('the address of a platform is checked too, and both errors are reported at once', () => {
  const text = config('http://source-a.example', 'http://platform.example')
  expect(() => load(text)).toThrow(/source\.url[\s\S]*platform\.url/)
})

test('the addresses of the webhook and the lineage must be https, unless they are references to variables or files', () => {
  const base = config('https://source-a.example')
  expect(() => load(`${base}\nwebhook: {url: "http://hooks.example"}\n`)).toThrow(
    /webhook\.url: must begin with https/,
  )
  expect(() => load(`${base}\nlineage: {to: "http://lineage.example"}\n`)).toThrow(
    /lineage\.to: must begin with https/,
  )
  const good = 'webhook: {url: "https://hooks.example/in"}\nlineage: {to: "./lineage.jsonl"}\n'
  expect(load(`${base}\n${good}`).webhook).toMatchObject({ on: ['held', 'failed'] })
  expect(load(`${base}\nwebhook: {url: "env:WEBHOOK_URL"}\n`).webhook).toMatchObject({
    url: 'env:WEBHOOK_URL',
  })
  expect(() => load(`${base}\nwebhook: [{url: "env:A"}, {url: "http://hooks.example"}]\n`)).toThrow(
    /webhook\[1\]\.url: must begin with https/,
  )
})

test('an address of a webhook or the lineage that may contain a secret is refused, and the error does not repeat it', () => {
  const base = config('https://source-a.example')
  for (const url of ['https://user:canary@hooks.example', 'https://hooks.example/in?key=canary', 'canary?']) {
    expect(() => load(`${base}\nwebhook: {url: "${url}"}\n`)).toThrow(ConfigError)
    expect(() => load(`${base}\nwebhook: {url: "${url}"}\n`)).not.toThrow(/canary/)
  }
  expect(() => load(`${base}\nlineage: {to: "https://user:canary@lineage.example"}\n`)).toThrow(
    /lineage\.to: must not contain a user name or a password/,
  )
})
