import { z } from 'zod'
import {
  httpReader,
  httpTarget,
  type PlatformAnswer,
  type PlatformConnection,
} from '../../loaders/platform/http.ts'
import { ConfigError } from '../config/errors.ts'
import type { ConfigOf } from '../config/forms.ts'
import { resolveSecret } from '../config/secrets.ts'
import { baseUrl, pathSegment, secretReference, wholeNumberBetween } from '../config/values.ts'
import { type Answer, type HttpRequest, send } from '../extract/http.ts'
import { RetryLaterError, requestedWaitMs } from '../extract/retry.ts'
import type { TargetContext, TargetType } from './target-type.ts'

/** An answer is held in memory whole: the results of a batch, or a page of items. */
const MAX_ANSWER_BYTES = 67_108_864

const shapeOfHttp = {
  type: z.literal('http').describe('Sends the operations to the platform in batches.'),
  url: baseUrl()
    .describe('Address of the platform, without /v1.')
    .meta({ examples: ['https://platform.example'] }),
  eventId: pathSegment()
    .describe('The event on the platform.')
    .meta({ examples: ['1001'] }),
  token: secretReference()
    .describe('Bearer token of the platform: env:NAME or file:PATH.')
    .meta({ examples: ['env:PLATFORM_TOKEN'] }),
  batchSize: wholeNumberBetween(1, 10_000).default(100).describe('Most operations in one batch, a count.'),
}

/** A platform that takes batches over HTTP, as `loaders/platform/contract` has it. */
export const httpType: TargetType<typeof shapeOfHttp> = {
  shape: shapeOfHttp,
  eventOf: ({ url, eventId }) => ({ url, eventId }),
  takesPasswords: true,
  writesToPack: false,
  open: (config, context, { fence }) =>
    httpTarget(connect(config, context), { fence, batchSize: config.batchSize }),
  read: (config, context) => httpReader(connect(config, context)),
}

/** Opens the way to one event of a platform. Source: `loaders/platform/contract/README.md`. */
function connect(config: ConfigOf<typeof shapeOfHttp>, context: TargetContext): PlatformConnection {
  const { integrationId, progress, secrets } = context
  const token = resolveSecret(config.token, secrets, `platform.token of ${integrationId}`)
  const retries = context.retriesAt(config.url)
  if (!/^[\x21-\x7e]+$/.test(token.reveal())) {
    throw new ConfigError(
      `platform.token of ${integrationId}: it holds a blank or a character that no header can carry; see to the secret`,
    )
  }
  const limits = { ...context.limits, maxResponseBytes: MAX_ANSWER_BYTES }
  const base = new URL(`${config.url}/v1/events/${encodeURIComponent(config.eventId)}/`)

  async function ask(request: Omit<HttpRequest, 'url'>, path: string, query: URLSearchParams) {
    const url = new URL(path, base)
    url.search = query.toString()
    const headers = {
      Accept: 'application/json',
      ...request.headers,
      Authorization: `Bearer ${token.reveal()}`,
    }
    return retries.run(`platform, ${path}`, async (): Promise<PlatformAnswer> => {
      progress.at(integrationId, 'platform asked')
      const answer = await send({ ...request, url, headers }, limits)
      const answered = { status: answer.status, body: parse(await textOf(answer)) }
      progress.at(integrationId, 'platform answered')
      if (answer.status === 408 || answer.status === 429 || answer.status >= 500) {
        const waitMs = requestedWaitMs(answer, context.now())
        throw new RetryLaterError(`answered ${answer.status}`, waitMs, answer.status)
      }
      return answered
    })
  }

  return {
    post: (path, body, headers) =>
      ask(
        { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } },
        path,
        new URLSearchParams(),
      ),
    get: (path, query) => ask({ within: base }, path, new URLSearchParams(query)),
  }
}

async function textOf(answer: Answer): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
