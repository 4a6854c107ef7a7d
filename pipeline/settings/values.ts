import { z } from 'zod'
import type { Resource } from '../../transforms/declare/resource.ts'
import { isTimeZone } from '../../transforms/rules/zones.ts'
import type { Frozen } from '../schemas/values.ts'
import { cronFault, cronPattern } from './cron.ts'
import { quoted, type RawIssue, unknownKeyMessage } from './errors.ts'

const noOtherForm: ReadonlyMap<string, string> = new Map()

// The JSON Schema uses these patterns too. Validators support different regular expressions, so the patterns
// have no flags and no \p{…}.
const printable = String.raw`[^\u0000-\u001f\u007f-\u009f]`
const textPattern = String.raw`^(?=${printable}*\S)${printable}+$`
const pathSegmentPattern = String.raw`^(?!\.\.?$)(?=${printable}*\S)${printable}+$`
/** Pattern for keys that are separated by dots. */
export const keyPathPattern = String.raw`^(?!\.)(?!${printable}*\.(?:\.|$))(?=${printable}*\S)${printable}+$`
const urlPattern = String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@]+(/[^\s?#]*)?$`
const referencePattern = String.raw`^(env:[A-Za-z_][A-Za-z0-9_]*|file:(?=${printable}*\S)${printable}+)$`
const mailAddressPattern = String.raw`^[^\s@<>()[\]\\,;:"\u0000-\u001f\u007f-\u009f]+@[^\s@<>()[\]\\,;:"\u0000-\u001f\u007f-\u009f]+$`
const integrationIdPattern = '^[a-z0-9][a-z0-9-]{0,62}$'

/**
 * Returns a function that makes messages of the form `must be <what>, got <value>`. For a missing or empty
 * value, it makes a general message.
 */
export function must(what: string) {
  return ({ input }: RawIssue) =>
    input === undefined || input === null ? undefined : `must be ${what}, got ${quoted(input)}`
}

/**
 * Makes a schema of a mapping that rejects unknown keys.
 *
 * @param elsewhere keys of the other forms of the mapping, each with its form, for example `apiKey` -> `type:
 *   b`
 */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape, elsewhere = noOtherForm) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    // The message has one line for each unknown key, in the order of the keys. The loader of the
    // configuration splits the lines into separate mistakes.
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKeyMessage(key, known, elsewhere)).join('\n')
        : undefined,
  })
}

/**
 * Makes a schema of text that must match a pattern and pass a test. The pattern and the test have the same
 * error message. The option `abort` of zod is not used, because it would skip the checks of the whole
 * configuration.
 */
function textLike(pattern: string, isRight: (value: string) => boolean, error: ReturnType<typeof must>) {
  const like = new RegExp(pattern)
  return z
    .string({ error })
    .regex(like, { error })
    .refine((value) => !like.test(value) || isRight(value), { error })
}

/** Makes a schema of text with at least one visible character. */
export function text() {
  const error = must('text that is not blank and has no control characters')
  return textLike(textPattern, (value) => value.isWellFormed(), error)
}

/**
 * Makes the schema of `source.fields`. The schema has an option for each column of the resources that can
 * have another key at the source.
 */
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

/**
 * Makes a schema of text that users often write as a number. The loader keeps the digits as they are in the
 * file.
 */
function textOrDigits() {
  return z.union([z.string(), z.number()], { error: must('text or a number') }).transform(String)
}

/**
 * Makes a schema of a name that becomes one segment in the path of a URL. Special characters are allowed,
 * because the reader escapes them.
 */
export function pathSegment() {
  const error = must('text that is not blank, has no control characters and is not . or ..')
  return textOrDigits()
    .pipe(text().refine((value) => value !== '.' && value !== '..', { error }))
    .meta({ pattern: pathSegmentPattern })
}

export function nameOrNumber() {
  return textOrDigits().pipe(text()).meta({ pattern: textPattern })
}

/** Makes a schema of the id of an integration. The id is used as a folder name and in the database. */
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

/** Makes a schema of a cron expression that has five fields and at least one time in the future. */
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
 * Makes a schema of an http or https address to which paths are added. The value becomes the canonical form
 * of the address, without a slash at the end. Error messages do not show the address.
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
  // The message shows no part of the value, because any part can be a secret, for example the path of a
  // webhook.
  if (!isAddress) return 'is not an http or https address (not shown)'
  const { username, password } = new URL(value)
  if (username !== '' || password !== '') return 'must not contain a user name or a password'
  if (/[?#]/.test(value)) return 'must not contain a query or a fragment'
  return undefined
}

/**
 * Makes a schema of an http or https address, or of a reference to such an address: `env:NAME` or
 * `file:PATH`.
 *
 * If a part of the address could contain a secret (a user name, a query), the address must be given as a
 * reference.
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

/**
 * Makes a schema of an e-mail address without a display name. Error messages do not show the address, because
 * it is personal data.
 */
export function mailAddress() {
  const error = () => 'must be an e-mail address such as team@organiser.example (not shown)'
  return textLike(mailAddressPattern, (value) => value.isWellFormed(), error)
}

export function fileOrAddress() {
  return text().superRefine((value, context) => {
    const fault = !isReference(value) && isMeantAsAddress(value) ? faultOfUrl(value) : undefined
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
}

/**
 * Returns true if the user meant a text as an address, even if its scheme is wrong. `C:\\` is the drive of a
 * file path, not a scheme.
 */
const isMeantAsAddress = (value: string): boolean =>
  /^[a-z][a-z0-9+.-]+:|^[a-z]+\/\/|^https?[:/]/i.test(value)

/** Returns true if a text is a reference to a value, and not the value itself. */
export function isReference(value: string): value is SecretReference {
  return new RegExp(referencePattern).test(value)
}

/**
 * Makes a schema of a reference to a secret: `env:NAME` or `file:PATH`. A text that is no reference is never
 * shown, because it may be the secret itself.
 */
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

/**
 * A reference to a secret: `env:NAME` or `file:PATH`. A relative path is resolved from the folder of the
 * configuration file.
 */
export type SecretReference = z.output<ReturnType<typeof secretReference>>

export function sourceTimeZone() {
  return timeZone()
    .optional()
    .describe('Time zone (IANA name) of times that carry no offset; left out: such times are bad_time.')
    .meta({ examples: ['Europe/Berlin'] })
}

const DAY_MS = 86_400_000
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS }
const LONGEST_MS = 31 * DAY_MS
const every = '^[1-9][0-9]{0,4}[mhd]$'
const timeOfDay = '^([01][0-9]|2[0-3]):[0-5][0-9]$'

/** Converts a duration such as `24h` to milliseconds. */
export function durationMs(text: string): number {
  return Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? Number.NaN)
}

/** Converts an age such as `400d` to a number of days. */
export function daysIn(age: string): number {
  return durationMs(age) / DAY_MS
}

/** Makes a schema of an age: a whole number of days, such as `400d`. */
export function days() {
  return textLike('^[1-9][0-9]{0,4}d$', () => true, must('a whole number of days with d, such as 400d'))
}

/** Makes a schema of an interval: a whole number of minutes, hours or days. */
function interval() {
  const error = must('a whole number with m, h or d, from 1m to 31d, such as 24h')
  return textLike(every, (text) => durationMs(text) <= LONGEST_MS, error)
}

/** Makes the schema of `source.reading`, for a source that can return only changed records. */
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
    // A shorter overlap would not cover the hour that occurs twice when clocks are set back.
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

/** Keys of one form of a mapping. Every form has the key `type`. */
export interface TypedShape extends z.core.$ZodLooseShape {
  readonly type: z.ZodLiteral<string>
}

/** The checked configuration for keys of this shape, with all defaults. */
export type ConfigOf<Shape> = Shape extends z.core.$ZodLooseShape
  ? Frozen<z.output<z.ZodObject<Shape>>>
  : never

type FormOf<Shape> = Shape extends TypedShape ? ReturnType<typeof section<Shape>> : never

/**
 * Makes a schema of a mapping that has another form for each `type`. If the user writes a key of another
 * form, the error message names that form.
 */
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
