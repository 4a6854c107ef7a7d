import { z } from 'zod'
import type { TargetLimits } from '../../loaders/platform/limits.ts'
import {
  BatchRefusedError,
  ownReader,
  ownTarget,
  type TargetFunctions,
} from '../../loaders/platform/own-target.ts'
import { PlatformRefusalError } from '../../loaders/platform/target.ts'
import type { Content } from '../../sql/tables.ts'
import { DECLARED_FIELDS } from '../../transforms/decide/platform-fields.ts'
import { guarded } from '../runtime/guarded.ts'
import { accountHash, resolveSecret } from '../settings/secrets.ts'
import { baseUrl, type ConfigOf, pathSegment, type SecretReference } from '../settings/values.ts'
import { makeRequest, type TargetRequest } from './request.ts'
import type { OutsideTarget, TargetContext, TargetType } from './target-type.ts'

/**
 * Keys of `platform` in event-sync.yaml that only this target has, each with a zod schema. Every target has
 * `type`, `url` and `eventId`.
 */
type OwnKeys = z.core.$ZodLooseShape

type Shape<Own extends OwnKeys> = ReturnType<typeof standardKeys> & Own

/** The value of `platform` in a checked configuration, with every default filled in. */
export type TargetConfig<Own extends OwnKeys = OwnKeys> = ConfigOf<Shape<Own>>

/** The keys that every target has. */
type StandardConfig = ConfigOf<ReturnType<typeof standardKeys>>

/** The functions and values that the product gives a target. */
export interface TargetTools<Key extends string = string> {
  /** Sends a request to the platform, and repeats the request until the platform has answered it. */
  readonly request: TargetRequest
  /** Returns the value of a secret by its key. */
  secret(key: Key): string
}

/**
 * Defines a target: what a platform can take, and three functions that write to it and read it. The product
 * adds everything else: the outbox, retries, the order of operations, passwords, rejections and packs.
 */
export interface TargetDefinition<Own extends OwnKeys> {
  /**
   * Name of the target in the database and in packs. The name has 2 to 20 characters a-z and 0-9, and begins
   * with a letter.
   */
  readonly name: string
  readonly title: string
  /** Contents that the platform takes. The configuration may name no other content. */
  readonly contents: readonly Content[]
  readonly limits: TargetLimits
  /** True if `send` passes the first passwords of new attendees on to the platform; default: false. */
  readonly takesPasswords?: boolean
  /** Keys of `platform` in event-sync.yaml that only this target has. */
  readonly keys?: Own
  /** The keys of the target whose schema is `secret()`. */
  readonly secrets?: readonly (keyof Own & string)[]
  /** Makes the functions of the target. `connect` itself sends nothing. */
  connect(config: TargetConfig<Own>, tools: TargetTools<keyof Own & string>): TargetFunctions
}

/** All targets that the function `defineTarget` in this copy of the package has made. */
const made = new WeakSet<object>()

/**
 * Defines a target that is not part of event-content-sync. The target must be the default export of a file or
 * package. The configuration names this file: `platform: {type: ./targets/example.ts, url: …, eventId: …}`.
 *
 * @throws Error if the definition contradicts itself; the message says how
 */
export function defineTarget<const Own extends OwnKeys = Record<never, never>>(
  definition: TargetDefinition<Own>,
): OutsideTarget {
  const { name, title, contents, limits } = definition
  requireSound(definition as unknown as TargetDefinition<OwnKeys>)
  const shape = { ...standardKeys(name, title), ...definition.keys } as Shape<Own>
  const functionsOf = (config: TargetConfig<Own>, context: TargetContext) =>
    connect(definition, config, context)
  const type: TargetType<Shape<Own>> & Pick<OutsideTarget, 'name' | 'title' | 'limits'> = {
    name,
    title,
    limits,
    shape,
    contents,
    removes: limits.removes ?? contents,
    hasFence: false,
    takesPasswords: definition.takesPasswords ?? false,
    writesToPack: false,
    eventOf(config) {
      const { url, eventId } = config as unknown as StandardConfig
      return { url, eventId }
    },
    open: (config, context) => ownTarget(title, functionsOf(config as TargetConfig<Own>, context), limits),
    read: (config, context) => ownReader(title, functionsOf(config as TargetConfig<Own>, context)),
  }
  made.add(type)
  return type as unknown as OutsideTarget
}

/** Returns true if a value is a target that this copy of the package has made. */
export function isTarget(value: unknown): value is OutsideTarget {
  return typeof value === 'object' && value !== null && made.has(value)
}

/** Makes the functions of a target for one integration. */
function connect<Own extends OwnKeys>(
  { title, secrets = [], limits, ...definition }: TargetDefinition<Own>,
  config: TargetConfig<Own>,
  context: TargetContext,
): TargetFunctions {
  const { url } = config as unknown as StandardConfig
  const references = config as Readonly<Record<string, SecretReference | undefined>>
  const given = secrets.flatMap((key) => {
    const reference = references[key]
    const what = `platform.${key} of ${context.integrationId}`
    return reference === undefined ? [] : [[key, resolveSecret(reference, context.secrets, what)] as const]
  })
  const values = new Map<string, string>(given.map(([key, secret]) => [key, secret.reveal()]))
  const account = given.length === 0 ? '' : accountHash(given.map(([, secret]) => secret))
  const guard = guarded({
    kind: 'target',
    title,
    isMeant: (error) => error instanceof BatchRefusedError || error instanceof PlatformRefusalError,
    toError: (what, todo) => new PlatformRefusalError(what, todo),
  })
  const request = makeRequest({ title, url, account, requestsPerMinute: limits.requestsPerMinute }, context)
  const tools: TargetTools<keyof Own & string> = {
    request: guard.passing(request),
    secret(key) {
      const value = values.get(key)
      if (value === undefined)
        throw new PlatformRefusalError(`platform.${key} of ${title} is not a given secret`)
      return value
    },
  }
  const functions = guard.callNow('connect', () => definition.connect(config, tools))
  return {
    send: (batch) => guard.call('send', () => functions.send(batch)),
    list: (content) => guard.iterate('list', () => functions.list(content)),
    count: (content) => guard.call('count', () => functions.count(content)),
  }
}

function standardKeys(name: string, title: string) {
  return {
    type: z.literal(name as string).describe(title),
    url: baseUrl().describe(`Address of ${title}.`),
    eventId: pathSegment().describe(`The event in ${title}.`),
  }
}

const NAME = /^[a-z][a-z0-9]{1,19}$/
const NAMES_OF_PACKAGE: ReadonlySet<string> = new Set(['http', 'jsonl'])

function requireSound(definition: TargetDefinition<OwnKeys>): void {
  const { name, contents, limits, keys = {}, secrets = [] } = definition
  const fail = (what: string): never => {
    throw new Error(`target ${name}: ${what}`)
  }
  if (!NAME.test(name)) fail('its name must be 2 to 20 of a-z and 0-9, and begin with a letter')
  if (NAMES_OF_PACKAGE.has(name)) fail(`event-content-sync has a target "${name}" itself; use another name`)
  for (const key of Object.keys(standardKeys('', ''))) {
    if (key in keys) fail(`every target already has the key "${key}"; give yours another name`)
  }
  for (const key of secrets) if (!(key in keys)) fail(`the secret "${key}" is not among its keys`)
  if (contents.length === 0) fail('it has no content')
  const { batchSize, requestsPerMinute = 1, removes = [], uniqueFields = {}, longestTexts = {} } = limits
  if (!isCount(batchSize)) fail('limits.batchSize must be a whole number from 1')
  if (!isCount(requestsPerMinute)) fail('limits.requestsPerMinute must be a whole number from 1')
  for (const content of removes) {
    if (!contents.includes(content)) fail(`limits.removes has ${content}, which is not among its contents`)
  }
  for (const content of contents) {
    const lengths = longestTexts[content] ?? {}
    for (const most of Object.values(lengths)) {
      if (!isCount(most)) fail(`the lengths of limits.longestTexts.${content} must be whole numbers from 1`)
    }
    for (const field of [...(uniqueFields[content] ?? []), ...Object.keys(lengths)]) {
      const known = DECLARED_FIELDS[content].map((one) => one.name)
      if (!known.includes(field)) {
        fail(`limits has ${content}.${field}, which is not a field; ${content} have ${known.join(', ')}`)
      }
    }
  }
}

const isCount = (value: number) => Number.isSafeInteger(value) && value > 0
