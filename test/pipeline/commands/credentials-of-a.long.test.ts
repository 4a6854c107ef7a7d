import { expect, onTestFinished, test } from 'vitest'
import { sampleEvent } from '../../../pipeline/demo/sample-event.ts'
import { serve } from '../../harness/loopback.ts'
import { startSampleSourceA } from '../../harness/sample-source/a.ts'
import { integrationOfA } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

const ID = 'canary-client'
const SECRET = 'canary-secret'

/**
 * Starts a Source A that requires a token, and its identity provider at another address.
 *
 * @param revoked number of requests after which the source revokes the first token of each command; without
 *   it, no token is revoked
 */
async function startGuarded(revoked = Number.POSITIVE_INFINITY) {
  const open = await startSampleSourceA(sampleEvent.a)
  const seen = { valid: '', issued: 0, refused: 0, tokensAtProvider: 0 }
  let used = 0
  const source = await serve(async (request, response) => {
    used += 1
    if (used > revoked && seen.issued % 2 === 1) seen.valid = ''
    if (seen.valid === '' || request.headers.authorization !== `Bearer ${seen.valid}`) {
      seen.refused += 1
      return void response.writeHead(401).end('{"Message":"canary"}')
    }
    const answer = await fetch(open.url + request.url)
    response.writeHead(answer.status).end(await answer.text())
  })
  const provider = await serve((request, response) => {
    const basic = `Basic ${Buffer.from(`${ID}:${SECRET}`).toString('base64')}`
    if (/bearer/i.test(request.headers.authorization ?? '')) seen.tokensAtProvider += 1
    if (request.headers.authorization !== basic) return void response.writeHead(401).end('{}')
    seen.issued += 1
    seen.valid = `canary-token-${seen.issued}`
    used = 0
    response.end(JSON.stringify({ access_token: seen.valid, token_type: 'bearer', expires_in: 3600 }))
  })
  onTestFinished(async () => void (await Promise.all([open.close(), source.close(), provider.close()])))
  return { source, provider, seen, tokenUrl: provider.url.replace('127.0.0.1', 'localhost') }
}

async function configured(url: string, auth?: Readonly<Record<string, unknown>>) {
  const workspace = await makeWorkspace('postgres')
  Object.assign(workspace.env, { ID, SECRET })
  const source = { type: 'a', url, eventId: '4242', timeZone: sampleEvent.timeZone, ...(auth && { auth }) }
  workspace.configure({
    integrations: [integrationOfA('summit', url, { source, guards: { maxQuarantined: 1 } })],
    http: { retryBudgetSeconds: 0 },
  })
  return workspace
}

const client = { type: 'clientCredentials', clientId: 'env:ID', clientSecret: 'env:SECRET' }

test('Source A is read with client credentials, a refused token is renewed, and no secret is printed or stored [R11]', async () => {
  const { source, seen, tokenUrl } = await startGuarded(4)
  const workspace = await configured(source.url, { ...client, tokenUrl })
  const checked = await workspace.run('check')
  expect({ code: checked.code, stdout: checked.code === 0 ? '' : checked.stdout }).toEqual({
    code: 0,
    stdout: '',
  })
  expect(checked.stdout).toMatch(/^ *ok +credentials +the credentials of source\.auth are accepted$/m)
  const run = await workspace.run('run', '--log-level', 'debug')
  expect({ code: run.code, stderr: run.code === 0 ? '' : run.stderr }).toEqual({ code: 0, stderr: '' })
  // All requests that are refused at the same time use the same new token.
  expect(seen.refused).toBeGreaterThanOrEqual(2)
  expect(seen.issued).toBe(4)
  expect(seen.tokensAtProvider).toBe(0)
  const files = workspace.files().filter((file) => file.startsWith('out/'))
  const rows = await workspace.rows('select to_jsonb(runs)::text as text from sync.runs')
  const kept = [...files.map((file) => workspace.read(file)), JSON.stringify(rows)].join('\n')
  for (const text of [checked, run].map(({ stdout, stderr }) => stdout + stderr).concat(kept)) {
    expect(text).not.toContain('canary')
  }
})

test('a bearer token is sent with each request, and check says if the token is wrong or missing', async () => {
  const { source, seen } = await startGuarded()
  seen.valid = 'canary-token'
  const workspace = await configured(source.url, { type: 'bearer', token: 'env:TOKEN' })
  workspace.env.TOKEN = 'canary-token'
  expect((await workspace.run('run')).code).toBe(0)

  workspace.env.TOKEN = 'canary-wrong'
  const wrong = await workspace.run('check')
  expect(wrong.code).toBe(1)
  expect(wrong.stdout).toMatch(
    /FAILED +credentials +the source accepts the credentials of source\.auth\n +seen: +refused: answered 401/,
  )

  delete workspace.env.TOKEN
  const missing = await workspace.run('check')
  expect(missing.stdout).toMatch(
    /FAILED +credentials [\s\S]*source\.auth\.token: the secret env:TOKEN does not exist/,
  )
  expect((await workspace.run('run')).code).toBe(64)

  const anonymous = await configured(source.url)
  expect((await anonymous.run('check')).stdout).toMatch(/FAILED +anonymous [\s\S]*answered 401/)
  for (const { stdout, stderr } of [wrong, missing]) expect(stdout + stderr).not.toContain('canary')
})

test('if the identity provider refuses the client, check says so and sends no request to the source', async () => {
  const { source, tokenUrl } = await startGuarded()
  const workspace = await configured(source.url, { ...client, tokenUrl })
  workspace.env.SECRET = 'canary-wrong'
  const { code, stdout } = await workspace.run('check')
  expect([code, source.requests]).toEqual([1, []])
  expect(stdout).toMatch(
    /not checkable +reachable +the source answers[\s\S]*not asked, because there is no access token/,
  )
  expect(stdout).toMatch(/FAILED +credentials [\s\S]*refused: answered 401/)
  expect(stdout).not.toContain('canary')
})
