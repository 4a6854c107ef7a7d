import { expect } from 'vitest'
import { type HttpLimits, type HttpRequest, send } from '../../../pipeline/http/http.ts'
import { ReadError } from '../../../pipeline/http/read-error.ts'
import { failureOf } from './support.ts'

export const limits: HttpLimits = { timeoutMs: 5000, maxResponseMs: 60_000, maxResponseBytes: 1_000_000 }

/** Sends a request and reads its complete answer. */
export async function get(url: string, options: Partial<HttpLimits & HttpRequest> = {}) {
  const answer = await send(
    { addressKey: 'source.url', ...options, url: new URL(url) },
    { ...limits, ...options },
  )
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.body) chunks.push(chunk)
  return { status: answer.status, text: Buffer.concat(chunks).toString() }
}

/** Returns the ReadError of a read. The test fails if the read does not end with a ReadError. */
export async function failedRead(work: Promise<unknown>): Promise<ReadError> {
  const error = await failureOf(work)
  expect(error).toBeInstanceOf(ReadError)
  return error as ReadError
}
