import { z } from 'zod'
import type { DeclaredContent } from '../../transforms/declare/content.ts'
import type { Resource } from '../../transforms/declare/resource.ts'
import {
  type AnyTransform,
  type DeclaredPeople,
  type SourceTransform,
  source,
} from '../../transforms/declare/source.ts'
import { offsetsIn } from '../../transforms/rules/times.ts'
import type { JsonObject } from '../../transforms/rules/values.ts'
import { ReadError } from '../http/read-error.ts'
import { guarded } from '../runtime/guarded.ts'
import { UserError } from '../settings/errors.ts'
import { accountHash, resolveSecret } from '../settings/secrets.ts'
import {
  baseUrl,
  type ConfigOf,
  keyOptions,
  pathSegment,
  type SecretReference,
  sourceReading,
  sourceTimeZone,
} from '../settings/values.ts'
import { judgeDeclared } from './contract/fields.ts'
import {
  END_PROOFS,
  type Ending,
  type ReadPage,
  type Source,
  type SourceResource,
  UnfitChangesError,
  UnprovedError,
} from './contract/source.ts'
import type { AnySourceType, SourceType } from './contract/source-type.ts'
import { requireReader, requireSound } from './declaration.ts'
import { watchedPages } from './watched-pages.ts'

/**
 * Keys of `source` in event-sync.yaml that only this source has, each with a zod schema. Every source also
 * has `type`, `url`, `eventId` and `timeZone`. A source whose columns have an `option` also has `fields`. A
 * source whose records can be read by changes also has `reading`.
 */
type OwnKeys = z.core.$ZodLooseShape

/** The value of `source` in a checked configuration, with every default filled in. */
export type SourceConfig<Own extends OwnKeys = OwnKeys> = ConfigOf<Shape<Own>>

type Shape<Own extends OwnKeys> = ReturnType<typeof standardKeys> & Own

/** How a source is read. */
export interface Reader extends Pick<Source, 'within' | 'readToEnd' | 'listOf' | 'notes'> {
  /** Credits that one request costs; default: 1. */
  readonly requestCost?: number
  /**
   * Returns headers for every request, for example credentials. If `authorization` is left out, requests have
   * no additional headers.
   */
  readonly authorization?: Source['authorization']
  /** Called if the source refused these headers. The next request to the source then gets new headers. */
  readonly renewAuthorization?: Source['renewAuthorization']
}

/**
 * Defines a source: its records, the items that are made from them, and how the source is read. The product
 * derives everything else from this definition.
 */
export interface SourceDefinition<Own extends OwnKeys> {
  /**
   * Name of the source in the database. The name has 2 to 20 characters a-z and 0-9, and begins with a
   * letter. The tables of the source are called `staging.NAME_RESOURCE`.
   */
  readonly name: string
  readonly title: string
  /** Keys of `source` in event-sync.yaml that only this source has. */
  readonly keys?: Own
  /** The keys of the source whose schema is `secret()`. */
  readonly secrets?: readonly (keyof Own & string)[]
  readonly resources: readonly Resource[]
  readonly contents: readonly DeclaredContent<SourceConfig<Own>>[]
  /** Which records are about people. The command `forget` and the hiding of personal data use this. */
  readonly people: DeclaredPeople<SourceConfig<Own>>
  /** One sentence of advice for the case that no record has a value in a required field. */
  readonly fillIn: string
  /** Makes the reader of the source. @param secret returns the value of a secret by its key */
  connect(config: SourceConfig<Own>, secret: (key: keyof Own & string) => string): Reader
}

/** All sources that the function `defineSource` in this copy of the package has made. */
const made = new WeakSet<object>()

/**
 * Defines a source that is not part of event-content-sync. The source must be the default export of a file or
 * package. The configuration names this file: `source: {type: ./sources/example.ts, url: …, eventId: …}`.
 *
 * @throws Error if the definition contradicts itself; the message says how
 */
export function defineSource<const Own extends OwnKeys = Record<never, never>>(
  definition: SourceDefinition<Own>,
): AnySourceType {
  requireSound(definition, (of) => Object.keys({ ...standardKeys('', ''), ...derivedKeys(of) }))
  const { name, title, secrets = [], resources, contents, people, fillIn } = definition
  const shape = { ...standardKeys(name, title), ...derivedKeys(resources), ...definition.keys } as Shape<Own>
  const guard = guarded({
    kind: 'source',
    title,
    isMeant: (error) => MEANT.some((kind) => error instanceof kind),
    toError: (what, todo) => new ReadError(what, { hint: todo }),
  })
  const transform = guardedTransform(guard, source({ resources, contents, people, fillIn }))
  const type: Omit<SourceType<Shape<Own>>, 'transform'> & { readonly transform: typeof transform } = {
    name,
    title,
    shape,
    transform,
    secrets,
    connect(config, integrationId, { secrets: environment }) {
      const references = config as Readonly<Record<string, unknown>>
      const secret = (key: string) => {
        const reference = references[key] as SecretReference
        return resolveSecret(reference, environment, `source.${key} of ${integrationId}`)
      }
      const reader = guard.callNow('connect', () =>
        definition.connect(config as SourceConfig<Own>, (key) => secret(key).reveal()),
      )
      requireReader(title, reader)
      const given = secrets.filter((key) => references[key] !== undefined)
      const account = given.length === 0 ? null : accountHash(given.map(secret))
      const adviceIfShort = `check whether \`readToEnd\` of ${title} requests every page once, in an order that does not change, and whether the source, or a proxy before it, leaves records out`
      return {
        ...{ requestCost: 1, ...reader, ...guardedReader(guard, title, reader) },
        ...{ account, type: name, adviceIfShort },
      }
    },
    statedOffsets: (record) =>
      guard.callNow('keys', () => resources.flatMap((resource) => offsetsOf(resource, record))),
    judge: (config, synced, answers) =>
      judgeDeclared({ title, transform: transform as unknown as AnyTransform }, config, synced, answers),
  }
  made.add(type)
  return type as unknown as AnySourceType
}

/** Errors that the code of a source throws on purpose, or that it passes on. */
const MEANT = [ReadError, UnprovedError, UnfitChangesError, UserError]

type Guard = ReturnType<typeof guarded>

/** Makes a transform that names the file and line if a function of its declaration throws an error. */
function guardedTransform<Options>(
  guard: Guard,
  transform: SourceTransform<Options>,
): SourceTransform<Options> {
  return {
    ...transform,
    contents: transform.contents.map((made) => ({
      ...made,
      decisions: (db, scope) => guard.callNow(made.content, () => made.decisions(db, scope)),
      decisionsWithFields: (db, scope) =>
        guard.callNow(made.content, () => made.decisionsWithFields(db, scope)),
    })),
    people: {
      ...transform.people,
      keys: (options) => guard.callNow('people.keys', () => transform.people.keys(options)),
    },
    explainExclusion: (excluded, options) =>
      guard.callNow(excluded.content, () => transform.explainExclusion(excluded, options)),
  }
}

/** Makes the functions of a reader, with errors that name the file and line of a mistake in them. */
function guardedReader(guard: Guard, title: string, reader: Reader) {
  const { listOf, notes } = reader
  return {
    authorization: () => guard.call('authorization', async () => (await reader.authorization?.()) ?? {}),
    renewAuthorization: (refused: Readonly<Record<string, string>>) =>
      guard.callNow('renewAuthorization', () => reader.renewAuthorization?.(refused)),
    async readToEnd(...[resource, readPage, save, from]: Parameters<Source['readToEnd']>): Promise<Ending> {
      const pages = watchedPages(title, readPage)
      const passing = guard.passing(pages.readPage)
      const read = () => reader.readToEnd(resource, noticed(passing), guard.passing(save), from)
      const ending = endingSchema.safeParse(await guard.call('readToEnd', read))
      if (ending.success) {
        pages.requireAllRead(ending.data)
        return ending.data
      }
      throw new ReadError(`\`readToEnd\` of ${title} returned no proof of the end`, {
        hint: `return {proof, declared}; proof is one of ${END_PROOFS.join(', ')}, and declared is a number or null`,
      })
    },
    ...(listOf === undefined
      ? {}
      : { listOf: (resource: SourceResource) => guard.callNow('listOf', () => listOf(resource)) }),
    ...(notes === undefined ? {} : { notes: () => guard.callNow('notes', notes) }),
  }
}

/**
 * Keeps an error of a page that the code does not wait for from ending the process. The watched pages report the
 * mistake.
 */
function noticed(readPage: ReadPage): ReadPage {
  return (...page) => {
    const read = readPage(...page)
    read.catch(() => undefined)
    return read
  }
}

const endingSchema = z.object({ proof: z.enum(END_PROOFS), declared: z.int().nullable() })

/** Returns true if a value is a source that this copy of the package has made. */
export function isSource(value: unknown): value is AnySourceType {
  return typeof value === 'object' && value !== null && made.has(value)
}

function standardKeys(name: string, title: string) {
  return {
    type: z.literal(name as string).describe(title),
    url: baseUrl().describe(`Address of ${title}.`),
    eventId: pathSegment().describe(`The event in ${title}.`),
    timeZone: sourceTimeZone(),
  }
}

/** Returns the keys of `source` that follow from the declaration of the resources. */
function derivedKeys(resources: readonly Resource[]) {
  const hasOptions = resources.some(({ columns }) =>
    Object.values(columns).some(({ keys }) => keys.some((key) => typeof key !== 'string')),
  )
  const isDated = resources.some(({ keys }) => keys.changedAt !== undefined)
  return {
    ...(hasOptions ? { fields: keyOptions(resources) } : {}),
    ...(isDated ? { reading: sourceReading() } : {}),
  }
}

/** Returns the UTC offsets that a record states under the keys of its columns with times. */
function offsetsOf({ columns, keys: { keyOf, prepare } }: Resource, record: JsonObject) {
  const times = Object.values(columns).filter(({ type }) => type === 'instant')
  const names = new Set(
    times.flatMap(({ keys }) => keys.map((key) => keyOf(typeof key === 'string' ? key : key.key))),
  )
  const prepared = prepare(record)
  return [...names].flatMap((name) => offsetsIn(prepared[name]))
}
