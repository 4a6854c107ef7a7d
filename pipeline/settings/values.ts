import { z } from 'zod'
import type { Resource } from '../../transforms/resources/resource.ts'
import { isTimeZone } from '../../transforms/rules/times.ts'
import { cronFault, cronPattern } from './cron.ts'
import { quoted, type RawIssue, unknownKeyMessage } from './messages.ts'

const noOtherForm: ReadonlyMap<string, string> = new Map()

// Patterns are in the JSON Schema too, where each validator reads its own dialect: no flags, no \p{…}.
const printable = String.raw`[^\u0000-\u001f\u007f-\u009f]`
const textPattern = String.raw`^(?=${printable}*\S)${printable}+$`
const pathSegmentPattern = String.raw`^(?!\.\.?$)(?=${printable}*\S)${printable}+$`
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

/** Text with something in it that prints. */
export function text() {
  const error = must('text that is not blank and has no control characters')
  return z
    .string({ error })
    .regex(new RegExp(textPattern), { error, abort: true })
    .refine((value) => value.isWellFormed(), { error })
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

/** Text that is often written as a number; the loader keeps the digits as they are in the file. */
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
  return z
    .string({ error })
    .regex(new RegExp(cronPattern), { error, abort: true })
    .superRefine((value, context) => {
      const fault = cronFault(value)
      if (fault !== undefined) {
        context.addIssue({ code: 'custom', message: `${quoted(value)} is no cron expression: ${fault}` })
      }
    })
}

/**
 * An http or https address to which paths are added: in its canonical form, without a slash at its end.
 *
 * An address that could carry a secret (a user name, a query) is not quoted.
 */
export function baseUrl() {
  const error = must('an http or https address')
  return z
    .string({ error })
    .meta({ pattern: urlPattern })
    .transform((value, context) => {
      const fault = faultOfUrl(value)
      if (fault === undefined) return new URL(value).href.replace(/\/+$/, '')
      context.addIssue({ code: 'custom', message: fault })
      return z.NEVER
    })
}

function faultOfUrl(value: string): string | undefined {
  const isAddress = /^https?:\/\/[^/]/i.test(value) && !/[\s\p{Cc}]/u.test(value) && URL.canParse(value)
  if (!isAddress) {
    // Of what is no address nobody knows which part is a password.
    return `${/[@?#]/.test(value) ? '' : `${quoted(value)} `}is not an http or https address`
  }
  const { username, password } = new URL(value)
  if (username !== '' || password !== '') return 'must not carry a user name or a password'
  if (/[?#]/.test(value)) return 'must not carry a query or a fragment'
  return undefined
}

/**
 * An http or https address as it is, or where it is kept: `env:NAME` or `file:PATH`.
 *
 * What could carry a secret (a user name, a query) must be kept elsewhere.
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
    const fault = /^https?:/i.test(value) ? faultOfUrl(value) : undefined
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
}

/** Whether a text says where something is kept, not what it is. */
export function isReference(value: string): value is SecretReference {
  return new RegExp(referencePattern).test(value)
}

/** Where a secret is kept: `env:NAME` or `file:PATH`. Anything else is never quoted: it may be the secret itself. */
export function secretReference() {
  const error = ({ input }: RawIssue) =>
    input === undefined
      ? 'is missing; give env:NAME or file:PATH'
      : 'must be env:NAME or file:PATH; a secret itself may not stand here (not shown)'
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
