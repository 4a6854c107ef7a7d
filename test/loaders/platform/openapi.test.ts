import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { samplePlatformAccess, startSamplePlatform } from '../../../pipeline/demo/sample-platform.ts'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { ajv } from '../../pipeline/schemas/published-output.ts'

const CONTRACT = join(packageRoot, 'loaders', 'platform', 'contract')
const read = (file: string) => JSON.parse(readFileSync(join(CONTRACT, file), 'utf8'))
const openapi = read('openapi.json')
ajv.addSchema(read('platform.schema.json'), 'platform.schema.json')

test('the OpenAPI of the contract has no fault that Redocly finds', () => {
  const redocly = join(packageRoot, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js')
  const args = [redocly, 'lint', '--extends=recommended-strict', join(CONTRACT, 'openapi.json')]
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  expect(
    execFileSync(process.execPath, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  ).toBe('')
})

/** Returns true if a value has the form that the OpenAPI states at a place. */
function isAsStated(
  place: { readonly content: Readonly<Record<string, { readonly schema: object }>> },
  value: unknown,
) {
  const media = place.content['application/json']
  return media !== undefined && ajv.validate(media.schema, value)
}

test('a batch and the answers of the sample platform have the form that the OpenAPI states', async () => {
  const platform = await startSamplePlatform()
  onTestFinished(() => platform.close())
  const { token, eventId } = samplePlatformAccess
  const server = openapi.servers[0].url.replace('{url}', platform.url)
  const [batches, items] = Object.keys(openapi.paths).map((path) => path.replace('{eventId}', eventId))
  const headers = { authorization: `Bearer ${token}` }
  const send = async (batch: object, key: string) => {
    const answer = await fetch(`${server}${batches}`, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': key },
      body: JSON.stringify(batch),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const { post } = openapi.paths['/v1/events/{eventId}/batches']
  const { get } = openapi.paths['/v1/events/{eventId}/items']
  const removal = { seq: 1, op: 'remove', content: 'agenda', uniqueId: '101', reason: 'gone' }
  const batch = {
    contract: '1.0',
    integration: 'summit',
    run: '01985c7e-0000-7000-8000-000000000001',
    planHash: '0'.repeat(64),
    fence: 2,
    phase: 'removals',
    operations: [removal],
  }
  expect(isAsStated(post.requestBody, batch)).toBe(true)
  expect(isAsStated(post.requestBody, { ...batch, phase: 'later' })).toBe(false)
  const answers = [
    await send(batch, 'a'),
    await send({ ...batch, fence: 3 }, 'a'),
    await send({ ...batch, fence: 1 }, 'b'),
  ]
  expect(answers.map(({ status, body }) => [status, isAsStated(post.responses[status], body)])).toEqual([
    [200, true],
    [409, true],
    [409, true],
  ])
  const page = await fetch(`${server}${items}?content=agenda`, { headers })
  expect([page.status, isAsStated(get.responses[200], await page.json())]).toEqual([200, true])
})
