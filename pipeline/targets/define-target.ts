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
import { guarded } from '../runtime/guarded.ts'
import { accountHash, resolveSecret } from '../settings/secrets.ts'
import { baseUrl, type ConfigOf, pathSegment, type SecretReference } from '../settings/values.ts'
import { requireFunctions, requireSound } from './declaration.ts'
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
  requireSound(definition, Object.keys(standardKeys('', '')))
  const { name, title, contents, limits } = definition
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
    missingFields: limits.missingFields ?? {},
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
  requireFunctions(title, functions)
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
