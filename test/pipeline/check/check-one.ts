import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { onTestFinished } from 'vitest'
import { checkIntegration } from '../../../pipeline/check/check-integration.ts'
import type { Finding, Verdict } from '../../../pipeline/check/findings.ts'
import { type Config, configSchema } from '../../../pipeline/config.ts'
import { sampleSourceBDefaults } from '../../../pipeline/demo/sample-source-b.ts'
import type { Environment } from '../../../pipeline/environment.ts'
import { silentProgress } from '../../../pipeline/progress.ts'
import type { BaseContext } from '../../../pipeline/run-context.ts'

/** Findings of one check, by the id of their rule. */
export interface Checked {
  readonly findings: readonly Finding[]
  /** @throws where there is no such rule, or more than one */
  rule(id: string): Finding
  /** Ids of the rules with this verdict. */
  ids(verdict: Verdict): readonly string[]
}

/** Variables with what the sample Source B accepts. */
const CREDENTIALS = {
  API_KEY: sampleSourceBDefaults.apiKey,
  AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
}

export function sourceA(url: string, more: Readonly<Record<string, unknown>> = {}) {
  return { source: { type: 'a', url, eventId: '4242', ...more } }
}

export function sourceB(url: string, more: Readonly<Record<string, unknown>> = {}) {
  const secrets = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }
  return { source: { type: 'b', url, eventId: '77', ...secrets, ...more } }
}

/**
 * Checks one integration; waits take no time.
 *
 * @param integration what differs from an integration with platform `jsonl`
 * @param more keys beside `integrations`
 */
export async function check(
  integration: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
  variables: Readonly<Record<string, string>> = CREDENTIALS,
): Promise<Checked> {
  const integrations = [{ id: 'summit', platform: { type: 'jsonl' }, ...integration }]
  const config = configSchema.parse({ ...more, integrations })
  const part = await checkIntegration(contextOf(config, variables), config.integrations[0] ?? fail())
  return {
    findings: part.findings,
    rule(id) {
      const [finding, ...others] = part.findings.filter(({ rule }) => rule.id === id)
      if (finding === undefined || others.length > 0) throw new Error(`${others.length} of ${id}`)
      return finding
    },
    ids: (verdict) => part.findings.flatMap((one) => (one.verdict === verdict ? [one.rule.id] : [])),
  }
}

function fail(): never {
  throw new Error('there is no integration')
}

function contextOf(config: Config, variables: Readonly<Record<string, string>>): BaseContext {
  // A clock that moves only when somebody waits, so that no test does.
  let nowMs = Date.now()
  const environment: Environment = {
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms
    },
    random: () => 0.5,
    randomBytes,
    randomInt: (limit) => randomInt(limit),
    user: 'test',
  }
  return {
    config,
    environment,
    secrets: {
      env: variables,
      readFile: () => {
        throw Object.assign(new Error('not there'), { code: 'ENOENT' })
      },
      configFolder: tmpdir(),
    },
    outputFolder: tmpdir(),
    progress: silentProgress,
  }
}

/** A server on loopback that answers as the test says; it is gone when the test has finished. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers everything alike. */
export function always(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  return (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)
  }
}
