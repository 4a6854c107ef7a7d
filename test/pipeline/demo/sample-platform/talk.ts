import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv2020 from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { SamplePlatform } from '../../../../pipeline/demo/sample-platform/start.ts'
import { packageRoot } from '../../../../pipeline/package-root.ts'

const RUN_1 = '01900000-0000-7000-8000-000000000001'
export const RUN_2 = '01900000-0000-7000-8000-000000000002'

const file = join(packageRoot, 'loaders/platform/contract/platform.schema.json')
const ajv = new Ajv2020.default({ strict: false }).addSchema(
  JSON.parse(readFileSync(file, 'utf8')),
  'contract',
)

/** Judged by another reader of JSON Schema than the platform's own. */
export function expectToBe(definition: 'results' | 'refusal' | 'items', body: unknown): void {
  const isValid = ajv.validate(`contract#/$defs/${definition}`, body)
  expect(ajv.errors, JSON.stringify(body)).toBeNull()
  expect(isValid).toBe(true)
}

/** Any answer of the platform; `expectToBe` says which one it is. */
interface Body {
  readonly error?: string
  readonly fence?: number
  readonly results?: readonly { readonly seq: number; readonly status: string }[]
  readonly items?: readonly { readonly uniqueId: string }[]
  readonly next?: string | null
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export interface Sent {
  readonly key?: string | null
  readonly token?: string
  readonly eventId?: string
  readonly query?: string
  readonly timeoutMs?: number
}

/** Sends a batch; text and bytes go as they are. */
export async function post(platform: SamplePlatform, batch: unknown, sent: Sent = {}): Promise<Answer> {
  const { key = randomUUID(), token = platform.token, eventId = platform.eventId, query = '' } = sent
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (key !== null) headers['idempotency-key'] = key
  const isRaw = typeof batch === 'string' || batch instanceof Uint8Array
  const response = await fetch(`${platform.url}/v1/events/${eventId}/batches${query}`, {
    method: 'POST',
    headers,
    body: isRaw ? (batch as string) : JSON.stringify(batch),
    signal: AbortSignal.timeout(sent.timeoutMs ?? 30_000),
  })
  return read(response)
}

export async function get(platform: SamplePlatform, path: string, token = platform.token): Promise<Answer> {
  return read(await fetch(`${platform.url}${path}`, { headers: { authorization: `Bearer ${token}` } }))
}

async function read(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

/** What was answered, as `[seq, status]`. */
export function statuses({ body }: Answer): readonly (readonly [number, string])[] {
  return (body.results ?? []).map(({ seq, status }) => [seq, status])
}

export function upserts(operations: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) {
  return {
    contract: '1.0',
    integration: 'summit',
    run: RUN_1,
    planHash: 'a'.repeat(64),
    fence: 1,
    phase: 'upserts',
    operations,
    ...more,
  }
}

export function removals(operations: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) {
  return upserts(operations, { phase: 'removals', ...more })
}

export const session = (seq: number, uniqueId: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  seq,
  op: 'upsert',
  content: 'agenda',
  uniqueId,
  fields: {
    name: `Session ${uniqueId}`,
    startTime: '2031-03-10T09:00:00Z',
    endTime: '2031-03-10T10:00:00Z',
    ...fields,
  },
})

export const speaker = (seq: number, uniqueId: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  seq,
  op: 'upsert',
  content: 'speakers',
  uniqueId,
  fields: { firstName: 'Iris', lastName: 'Carrow', ...fields },
})

export const attendee = (seq: number, uniqueId: string, more: Readonly<Record<string, unknown>> = {}) => ({
  seq,
  op: 'upsert',
  content: 'attendees',
  uniqueId,
  fields: { firstName: 'Bram', lastName: 'Ellery', emailAddress: 'bram@example.org' },
  ...more,
})

export const removal = (seq: number, content: string, uniqueId: string) => ({
  seq,
  op: 'remove',
  content,
  uniqueId,
  reason: 'cancelled',
})
