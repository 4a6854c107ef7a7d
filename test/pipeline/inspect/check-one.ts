import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { onTestFinished } from 'vitest'
import { type Config, configSchema } from '../../../pipeline/config/config.ts'
import type { BaseContext } from '../../../pipeline/context/run-context.ts'
import { type CheckOptions, checkIntegration } from '../../../pipeline/inspect/check-integration.ts'
import { silent } from '../../../pipeline/runtime/events.ts'
import type { CheckStatus } from '../../../pipeline/schemas/setup.ts'
import type { RuleResult } from '../../../pipeline/sources/contract/rule-result.ts'
import { serve as listen } from '../../harness/loopback.ts'
import { sourceAt, VARIABLES } from '../../harness/place.ts'
import { testEnvironment } from '../extract/support.ts'

/** Results of one check. */
export interface Checked {
  readonly results: readonly RuleResult[]
  /** @throws if no rule has this id, or more than one */
  rule(id: string): RuleResult
  /** Returns the ids of the rules with this status. */
  ids(status: CheckStatus): readonly string[]
}

export function sourceA(url: string, more: Readonly<Record<string, unknown>> = {}) {
  return { source: { ...sourceAt('a', url), ...more } }
}

export function sourceB(url: string, more: Readonly<Record<string, unknown>> = {}) {
  return { source: { ...sourceAt('b', url), ...more } }
}

/**
 * Checks one integration. Waits take no real time.
 *
 * @param integration keys that replace keys of an integration with platform `jsonl`
 * @param more top-level keys besides `integrations`
 */
export async function check(
  integration: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
  variables: Readonly<Record<string, string>> = VARIABLES,
  options: CheckOptions = {},
): Promise<Checked> {
  const integrations = [{ id: 'summit', platform: { type: 'jsonl' }, ...integration }]
  const config = configSchema.parse({ ...more, integrations })
  const part = await checkIntegration(
    contextOf(config, variables),
    config.integrations[0] ?? fail(),
    null,
    'none',
    options,
  )
  return {
    results: part.results,
    rule(id) {
      const [result, ...others] = part.results.filter(({ rule }) => rule.id === id)
      if (result === undefined || others.length > 0) throw new Error(`${others.length} of ${id}`)
      return result
    },
    ids: (status) => part.results.flatMap((one) => (one.status === status ? [one.rule.id] : [])),
  }
}

function fail(): never {
  throw new Error('there is no integration')
}

function contextOf(config: Config, variables: Readonly<Record<string, string>>): BaseContext {
  const readFile = () => {
    throw Object.assign(new Error('not there'), { code: 'ENOENT' })
  }
  return {
    config,
    environment: testEnvironment(),
    secrets: { env: variables, readFile, configFolder: tmpdir() },
    outputFolder: tmpdir(),
    events: silent,
  }
}

/** Starts a server on loopback that answers as the test defines; it is closed when the test has finished. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = await listen(answer)
  onTestFinished(server.close)
  return server.url
}

/** Returns a handler that gives the same answer to every request. */
export function always(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  return (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)
  }
}
