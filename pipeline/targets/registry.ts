import { z } from 'zod'
import {
  httpReader,
  httpTarget,
  type PlatformAnswer,
  type PlatformConnection,
} from '../../loaders/platform/http.ts'
import { jsonlTarget } from '../../loaders/platform/jsonl.ts'
import { CONTENTS } from '../../sql/tables.ts'
import { parseJson } from '../../transforms/rules/values.ts'
import { type HttpRequest, send, textOf } from '../http/http.ts'
import { isTemporary, statusFault } from '../http/retry.ts'
import { ConfigError } from '../settings/errors.ts'
import { resolveSecret } from '../settings/secrets.ts'
import {
  baseUrl,
  type ConfigOf,
  pathSegment,
  secretReference,
  wholeNumberBetween,
} from '../settings/values.ts'
import {
  type AnyTargetType,
  OUTSIDE_TARGET,
  type OutsideTarget,
  type TargetContext,
  type TargetType,
} from './target-type.ts'

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
  maxItems: wholeNumberBetween(1, Number.MAX_SAFE_INTEGER)
    .default(2_000_000)
    .describe('Most items of a content that the platform may have, a count; one more fails the read.'),
  // An answer of the platform is kept in memory as a whole. The answer contains the results of a batch, or a
  // page of items.
  maxResponseBytes: wholeNumberBetween(1, 512 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe('Largest answer of the platform in bytes, after decompression; a larger one fails the run.'),
}

/** The type of a platform that accepts batches over HTTP. The protocol is in `loaders/platform/contract`. */
const httpType: TargetType<typeof shapeOfHttp> = {
  shape: shapeOfHttp,
  contents: CONTENTS,
  removes: CONTENTS,
  hasFence: true,
  eventOf: ({ url, eventId }) => ({ url, eventId }),
  takesPasswords: true,
  writesToPack: false,
  open: (config, context) => httpTarget(connect(config, context), { batchSize: config.batchSize }),
  read: (config, context) => httpReader(connect(config, context)),
}

const SIZE_KEY = 'platform.maxResponseBytes'

/**
 * Connects to one event on a platform. The protocol is described in `loaders/platform/contract/README.md`.
 */
function connect(config: ConfigOf<typeof shapeOfHttp>, context: TargetContext): PlatformConnection {
  const { integrationId, secrets } = context
  const token = resolveSecret(config.token, secrets, `platform.token of ${integrationId}`)
  const retries = context.retriesAt(config.url)
  if (!/^[\x21-\x7e]+$/.test(token.reveal())) {
    throw new ConfigError(
      `platform.token of ${integrationId}: the secret has a space or a character that is not allowed in a header`,
      { todo: 'correct the secret' },
    )
  }
  const limits = { ...context.limits, maxResponseBytes: config.maxResponseBytes }
  const base = new URL(`${config.url}/v1/events/${encodeURIComponent(config.eventId)}/`)

  async function ask(
    request: Omit<HttpRequest, 'url' | 'addressKey'>,
    path: string,
    query: Readonly<Record<string, string>>,
  ) {
    const url = new URL(path, base)
    url.search = new URLSearchParams(query).toString()
    const headers = {
      Accept: 'application/json',
      ...request.headers,
      Authorization: `Bearer ${token.reveal()}`,
    }
    return retries.run(`platform, ${path}`, async (): Promise<PlatformAnswer> => {
      context.at('platform asked')
      const answer = await send(
        { ...request, url, addressKey: 'platform.url', sizeKey: SIZE_KEY, headers },
        limits,
      )
      const answered = { status: answer.status, body: parse(await textOf(answer)) }
      context.at('platform answered')
      if (isTemporary(answer.status)) throw statusFault(answer, context.now())
      return answered
    })
  }

  return {
    maxItems: config.maxItems,
    post(path, body, given) {
      const headers = { 'Content-Type': 'application/json', ...given }
      return ask({ method: 'POST', body, headers }, path, {})
    },
    get: (path, query) => ask({ within: base }, path, query),
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

const shapeOfJsonl = {
  type: z.literal('jsonl').describe('Writes the operations to operations.jsonl in the output folder.'),
}

/**
 * Writes operations to a file in the audit pack of the run. People then deliver this file to the platform.
 */
const jsonlType: TargetType<typeof shapeOfJsonl> = {
  shape: shapeOfJsonl,
  contents: CONTENTS,
  removes: CONTENTS,
  hasFence: false,
  eventOf: () => ({ url: '', eventId: '' }),
  takesPasswords: false,
  writesToPack: true,
  open: (_config, { outputMode }, folder) => jsonlTarget(folder, outputMode),
  read: null,
}

/** All target types, by their `type` in event-sync.yaml. */
export const TARGETS = {
  jsonl: jsonlType,
  http: httpType,
}

/** The value of `platform` in a checked configuration. */
interface ConfiguredTarget {
  readonly type: string
  readonly [OUTSIDE_TARGET]?: OutsideTarget
}

/**
 * Returns the target type (the kind of platform) of an integration. The caller must use it only with the
 * configuration of the same integration.
 */
export function targetTypeOf(platform: ConfiguredTarget): AnyTargetType {
  const own: Readonly<Record<string, unknown>> = TARGETS
  const type = platform[OUTSIDE_TARGET] ?? own[platform.type]
  if (type === undefined) throw new Error(`there is no platform type "${platform.type}"`)
  // TypeScript cannot know that this target type accepts the keys of this configuration.
  return type as AnyTargetType
}

/** Types of platforms whose operations are written to a file in the run's audit pack. */
export const TYPES_IN_PACK: ReadonlySet<string> = new Set(
  Object.entries(TARGETS).flatMap(([type, { writesToPack }]) => (writesToPack ? [type] : [])),
)
