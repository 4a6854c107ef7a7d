import { createRequire } from 'node:module'
import { z } from 'zod'
import type { Resource } from '../../transforms/declare/resource.ts'
import { isTimeZone } from '../../transforms/rules/zones.ts'
import { messageOf } from '../runtime/message-of.ts'
import { quoted, type RawIssue, unknownKeyMessage } from './errors.ts'

const noOtherForm: ReadonlyMap<string, string> = new Map()

// Patterns are in the JSON Schema too, where each validator reads its own dialect: no flags, no \p{…}.
const printable = String.raw`[^\u0000-\u001f\u007f-\u009f]`
const textPattern = String.raw`^(?=${printable}*\S)${printable}+$`
const pathSegmentPattern = String.raw`^(?!\.\.?$)(?=${printable}*\S)${printable}+$`
/** Keys with a dot between each two. */
export const keyPathPattern = String.raw`^(?!\.)(?!${printable}*\.(?:\.|$))(?=${printable}*\S)${printable}+$`
const urlPattern = String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@]+(/[^\s?#]*)?$`
const referencePattern = String.raw`^(env:[A-Za-z_][A-Za-z0-9_]*|file:(?=${printable}*\S)${printable}+)$`
const integrationIdPattern = '^[a-z0-9][a-z0-9-]{0,62}$'

/** `must be <what>, got <value>`; a missing or empty value is left to the general words. */
export function must(what: string) {
  return ({ input }: RawIssue) =>
    input === undefined || input === null ? undefined : `must be ${what}, got ${quoted(input)}`
}

/**
 * A mapping that refuses keys it does not know.
 *
 * @param elsewhere keys of the mapping's other forms, with the form: `apiKey` -> `type: b`
 */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape, elsewhere = noOtherForm) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    // One line a key, in the order of the issue's keys: the loader gives each its own place.
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKeyMessage(key, known, elsewhere)).join('\n')
        : undefined,
  })
}

export type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T

/**
 * Text of a pattern that passes a test too, with one message for both. Not by `abort`, which would leave out what is
 * checked of the configuration as a whole.
 */
function textLike(pattern: string, isRight: (value: string) => boolean, error: ReturnType<typeof must>) {
  const like = new RegExp(pattern)
  return z
    .string({ error })
    .regex(like, { error })
    .refine((value) => !like.test(value) || isRight(value), { error })
}

/** Text with something in it that prints. */
export function text() {
  const error = must('text that is not blank and has no control characters')
  return textLike(textPattern, (value) => value.isWellFormed(), error)
}

/** `source.fields`: a key for each column of these resources that may be named otherwise. */
export function keyOptions(resources: readonly Resource[]) {
  const options = resources.flatMap(({ columns }) =>
    Object.values(columns).flatMap(({ keys }) => keys.filter((key) => typeof key !== 'string')),
  )
  const shape = options.map(
    ({ option, key, meaning }) => [option, text().default(key).describe(meaning)] as const,
  )
  return section(Object.fromEntries(shape))
    .prefault({})
    .describe('Keys of the source for fields that the specification leaves open.')
}

/** Text that is often written as a number; the loader keeps the digits of the file. */
function textOrDigits() {
  return z.union([z.string(), z.number()], { error: must('text or a number') }).transform(String)
}

/** A name that becomes one segment of a URL path; the reader escapes all that can be escaped. */
export function pathSegment() {
  const error = must('text that is not blank, has no control characters and is not . or ..')
  return textOrDigits()
    .pipe(text().refine((value) => value !== '.' && value !== '..', { error }))
    .meta({ pattern: pathSegmentPattern })
}

export function nameOrNumber() {
  return textOrDigits().pipe(text()).meta({ pattern: textPattern })
}

/** The id of an integration; it names folders and database rows. */
export function integrationId() {
  const error = must('1 to 63 of a-z, 0-9 and -, and not begin with -')
  return textOrDigits()
    .pipe(z.string().regex(new RegExp(integrationIdPattern), { error }))
    .meta({ pattern: integrationIdPattern, minimum: 0, multipleOf: 1 })
}

export function numberBetween(from: number, to: number) {
  const error = must(`a number from ${from} to ${to}`)
  return z.number({ error }).min(from, { error }).max(to, { error })
}

export function wholeNumberBetween(from: number, to: number) {
  const error = must(`a whole number from ${from} to ${to}`)
  return z.int({ error }).min(from, { error }).max(to, { error })
}

export function timeZone() {
  const error = must('a time zone such as Europe/Berlin or UTC')
  return z.string({ error }).refine(isTimeZone, { error })
}

/** A cron expression of five fields that comes due some day. */
export function cron() {
  const error = must('five fields: minute, hour, day of month, month, day of week, such as 0 */4 * * *')
  const like = new RegExp(cronPattern)
  return z
    .string({ error })
    .regex(like, { error })
    .superRefine((value, context) => {
      const fault = like.test(value) ? cronFault(value) : undefined
      if (fault !== undefined) {
        context.addIssue({ code: 'custom', message: `${quoted(value)} is not a cron expression: ${fault}` })
      }
    })
}

/**
 * An http or https address to which paths are added: in its canonical form, without a slash at its end.
 *
 * None is quoted.
 */
export function baseUrl() {
  const error = must('an http or https address')
  return z
    .string({ error })
    .meta({ pattern: urlPattern })
    .transform((value, context) => {
      const fault = faultOfUrl(value)
      if (fault === undefined) return withoutSlashes(new URL(value).href)
      context.addIssue({ code: 'custom', message: fault })
      return z.NEVER
    })
}

function withoutSlashes(address: string): string {
  let end = address.length
  while (address[end - 1] === '/') end -= 1
  return address.slice(0, end)
}

function faultOfUrl(value: string): string | undefined {
  const isAddress = /^https?:\/\/[^/]/i.test(value) && !/[\s\p{Cc}]/u.test(value) && URL.canParse(value)
  // The message quotes nothing: any part can be a secret, as the path of a webhook is.
  if (!isAddress) return 'is not an http or https address (not shown)'
  const { username, password } = new URL(value)
  if (username !== '' || password !== '') return 'must not contain a user name or a password'
  if (/[?#]/.test(value)) return 'must not contain a query or a fragment'
  return undefined
}

/**
 * An http or https address, or the place where it is kept: `env:NAME` or `file:PATH`.
 *
 * Parts that could carry a secret (a user name, a query) must be kept elsewhere.
 */
export function addressOrReference() {
  const error = must('an https address, env:NAME or file:PATH')
  return z
    .string({ error })
    .superRefine((value, context) => {
      const fault = isReference(value) ? undefined : faultOfUrl(value)
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
    })
    .meta({ pattern: `${referencePattern}|${urlPattern}` })
}

export function fileOrAddress() {
  return text().superRefine((value, context) => {
    const fault = !isReference(value) && isMeantAsAddress(value) ? faultOfUrl(value) : undefined
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
}

/** Tells whether a text is meant as an address, also with a slip in its scheme. `C:\\` is the drive of a file. */
const isMeantAsAddress = (value: string): boolean =>
  /^[a-z][a-z0-9+.-]+:|^[a-z]+\/\/|^https?[:/]/i.test(value)

/** Returns whether a text says where something is kept, not what it is. */
export function isReference(value: string): value is SecretReference {
  return new RegExp(referencePattern).test(value)
}

/** Returns where a secret is kept: `env:NAME` or `file:PATH`. Anything else is never quoted: it may be the secret itself. */
export function secretReference() {
  const error = ({ input }: RawIssue) =>
    input === undefined
      ? 'is missing; give env:NAME or file:PATH'
      : 'must be env:NAME or file:PATH, not the secret itself (not shown)'
  return z
    .templateLiteral([z.enum(['env', 'file']), ':', z.string()], { error })
    .refine((value) => new RegExp(referencePattern).test(value), { error })
    .meta({ pattern: referencePattern })
}

/** `env:NAME` or `file:PATH`; a relative path starts at the folder of the configuration file. */
export type SecretReference = z.output<ReturnType<typeof secretReference>>

export function sourceTimeZone() {
  return timeZone()
    .optional()
    .describe('Time zone (IANA name) of times that carry no offset; left out: such times are bad_time.')
    .meta({ examples: ['Europe/Berlin'] })
}

/** Numbers and English names only: the parser's `H` would mean another time at every look. */
const field = '(?:[0-9*/,-]|[A-Za-z]{3})+'
/** Five fields; a sixth would be seconds, which no clock here looks at. */
export const cronPattern = `^${Array.from({ length: 5 }, () => field).join(' +')}$`

export interface Recurrence {
  readonly cron: string
  readonly timeZone: string
}

/** Loaded by the first schedule: with its calendar it takes a tenth of the time in which a command starts. */
function cronParser(): typeof import('cron-parser').CronExpressionParser {
  return createRequire(import.meta.url)('cron-parser').CronExpressionParser
}

/** Why it is not a cron expression, or never comes due; undefined for a good one. */
export function cronFault(cron: string): string | undefined {
  try {
    timesAfter({ cron, timeZone: 'UTC' }, 0, 1)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/**
 * The next times that a recurrence comes due, strictly after a moment. Where clocks are put forward, a time that does
 * not exist is the moment after the gap; where they are put back, a time that exists twice is the first.
 */
export function timesAfter({ cron, timeZone }: Recurrence, fromMs: number, count: number): readonly number[] {
  const times = cronParser().parse(cron, { tz: timeZone, currentDate: new Date(fromMs) })
  return Array.from({ length: count }, () => times.next().getTime())
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const LONGEST_MS = 31 * 86_400_000
const every = '^[1-9][0-9]{0,4}[mhd]$'
const timeOfDay = '^([01][0-9]|2[0-3]):[0-5][0-9]$'

/** A text such as `24h`, in milliseconds. */
export function durationMs(text: string): number {
  return Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? Number.NaN)
}

/** An interval: a whole number of minutes, hours or days. */
function interval() {
  const error = must('a whole number with m, h or d, from 1m to 31d, such as 24h')
  return textLike(every, (text) => durationMs(text) <= LONGEST_MS, error)
}

/** `source.reading` of a source that can be asked for what changed. */
export function sourceReading() {
  const time = must('a time of day such as 03:00')
  const changes = {
    mode: z.literal('changes').describe('Reads what changed, and all of it from time to time.'),
    fullEvery: interval()
      .default('24h')
      .describe('How often all of it is read: a whole number with m, h or d, 1m to 31d.'),
    fullAt: z
      .string({ error: time })
      .regex(new RegExp(timeOfDay), { error: time })
      .optional()
      .describe(
        'Time of day, in the time zone of the schedule, that a full reading waits for once it is due; left out: none.',
      )
      .meta({ examples: ['03:00'] }),
    // Less would not outlast the hour that occurs twice in autumn.
    overlapMinutes: wholeNumberBetween(60, 10_080)
      .default(60)
      .describe('Minutes before the latest change seen from which changes are asked for again.'),
  }
  const elsewhere = new Map(Object.keys(changes).map((key) => [key, 'mode: changes']))
  return z
    .discriminatedUnion('mode', [
      section({ mode: z.literal('full').describe('Reads all of it in every run.') }, elsewhere),
      section(changes),
    ])
    .prefault({ mode: 'full' })
    .describe('Whether a run reads all of the source, or only what changed.')
}

export type ReadingByChanges = Extract<
  Frozen<z.output<ReturnType<typeof sourceReading>>>,
  { readonly mode: 'changes' }
>

/** Keys of one form of a mapping, its `type` among them. */
export interface TypedShape extends z.core.$ZodLooseShape {
  readonly type: z.ZodLiteral<string>
}

/** The configuration that keys of this shape describe, checked and with every default filled in. */
export type ConfigOf<Shape> = Shape extends z.core.$ZodLooseShape
  ? Frozen<z.output<z.ZodObject<Shape>>>
  : never

type FormOf<Shape> = Shape extends TypedShape ? ReturnType<typeof section<Shape>> : never

/** A mapping that has one form for each type; a key of another type's form is refused as such. */
export function oneOf<Types extends Readonly<Record<string, { readonly shape: TypedShape }>>>(types: Types) {
  type MappingForm = FormOf<Types[keyof Types]['shape']>
  const shapes = Object.values(types).map(({ shape }) => shape)
  const forms = shapes.map((shape) => {
    const elsewhere = shapes
      .filter((other) => other !== shape)
      .flatMap((other) => Object.keys(other).map((key) => [key, `type: ${other.type.value}`] as const))
    return section(shape, new Map(elsewhere))
  })
  return z.discriminatedUnion('type', forms as unknown as [MappingForm, ...MappingForm[]])
}
