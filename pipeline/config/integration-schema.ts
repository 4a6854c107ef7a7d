import { z } from 'zod'
import { CONTENTS, type Content, type HintName } from '../../sql/tables.ts'
import {
  cron,
  integrationId,
  numberBetween,
  oneOf,
  secretReference,
  section,
  type TypedShape,
  text,
  timeZone,
  wholeNumberBetween,
} from '../settings/values.ts'
import { mappingOf } from '../settings/yaml.ts'
import { type AnySourceType, OUTSIDE } from '../sources/contract/source-type.ts'
import { SOURCES, sourceTypeOf } from '../sources/registry.ts'
import { TARGETS } from '../targets/registry.ts'
import { OUTSIDE_TARGET, type OutsideTarget } from '../targets/target-type.ts'
import { checkAlikeOnce } from './alike.ts'
import { brokenExcludeRules, customFieldsSchema, excludeSchema } from './exclude.ts'
import type { Breach } from './rules.ts'

const most = Number.MAX_SAFE_INTEGER

const contentSchema = z
  .array(z.enum(CONTENTS))
  .min(1, { error: 'must name at least one of agenda, speakers and attendees' })
  .superRefine(
    (list, context) => {
      for (const [index, content] of list.entries()) {
        if (list.indexOf(content) === index) continue
        context.addIssue({ code: 'custom', path: [index], message: `"${content}" is in the list twice` })
      }
    },
    { when: ({ value }) => Array.isArray(value) },
  )
  .meta({ uniqueItems: true })
  // Contents are sorted, so that their order in the file affects neither the behaviour nor the hash of the
  // configuration.
  .transform((list) => CONTENTS.filter((content) => list.includes(content)))
  .prefault([...CONTENTS])
  .describe('What to sync; content that is not listed is not planned at all.')

const removalsSchema = section({
  action: z
    .enum(['remove', 'keep'])
    .default('remove')
    .describe('What becomes of platform items whose records are gone, cancelled or no longer qualify.'),
  maxShare: numberBetween(0, 1)
    .default(0.2)
    .describe("Largest share of a content's live items, 0 to 1, that inferred removals may take unapproved."),
  maxStatedShare: numberBetween(0, 1)
    .default(0.5)
    .describe(
      "Largest share of a content's live items, 0 to 1, that may go unapproved because their records say so (cancelled, not published, a 1:1 meeting, no longer a speaker), from 20 live items on.",
    ),
  minCount: wholeNumberBetween(0, most)
    .optional()
    .describe(
      'Inferred removals of a content below this count pass whatever their share, unless none is left; left out: 10, or 5 where 30 % of the live items and more would go.',
    )
    .meta({ examples: [5] }),
})
  .prefault({})
  .describe('Removals from the platform and how many pass without approval.')

const guardsSchema = section({
  blackout: z
    .boolean()
    .default(true)
    .describe('Whether to hold a plan when a field that was mostly filled comes back mostly empty.'),
  massUpdate: numberBetween(0, 1)
    .default(0.5)
    .describe("Largest share of a content's live items, 0 to 1, that may change in one and the same field."),
  maxQuarantined: wholeNumberBetween(0, most)
    .default(0)
    .describe('Quarantined records, a count, beyond which a run ends with exit code 3.'),
  onHold: z
    .enum(['stop', 'withholdRemovals'])
    .default('stop')
    .describe(
      'What a held plan still applies: nothing, or all but the removals where these alone are suspicious; where the rest is too, nothing.',
    ),
})
  .prefault({})
  .describe('What stops a suspicious plan before it is applied.')

const hint = z.enum(['on', 'off']).default('on')

const hintsSchema = section({
  doubleBookedRooms: hint.describe('Sessions that overlap in one room.'),
  doubleBookedSpeakers: hint.describe('Speakers of two sessions that overlap.'),
  sessionsWithoutRoom: hint.describe('Sessions without a room.'),
  sessionsWithoutSpeaker: hint.describe('Sessions without a speaker.'),
  speakersWithoutSession: hint.describe('Speakers without a session.'),
} satisfies Record<HintName, z.ZodType>)
  .prefault({})
  .describe(
    'Likely mistakes in the programme that `missing` and the report list: on or off. They hold nothing back.',
  )

const storeEncryptedPassword = z
  .boolean({ error: 'must be true or false' })
  .default(false)
  .describe('Sent with each password; true: the welcome email of the platform contains the password.')

const ofGlobal = new Map([['global', 'mode: global']])
const MUST_BE_STORED =
  'must be true with mode: random, also if mode is left out, because people get their password only in the welcome email'

// Error messages for this schema never quote the value, because a user could have written a password in the
// wrong place.
const passwordsSchema = z
  .discriminatedUnion(
    'mode',
    [
      section({
        mode: z.literal('global').describe('One password for all attendees.'),
        global: secretReference()
          .describe('The password, at least 6 characters: env:NAME or file:PATH.')
          .meta({ examples: ['env:ATTENDEE_PASSWORD'] }),
        storeEncryptedPassword,
      }),
      section(
        {
          mode: z
            .literal('random')
            // Without `optional`, a mapping that has no `mode` would match none of the forms.
            .optional()
            .default('random')
            .describe('A random password of 6 characters for each attendee; needs sealingKey.'),
          storeEncryptedPassword: z
            .literal(true, { error: MUST_BE_STORED })
            .describe('Sent with each password; the welcome email is the only way for people to learn it.'),
        },
        ofGlobal,
      ),
      section(
        {
          mode: z.literal('none').describe('The platform signs people in by other means.'),
          storeEncryptedPassword,
        },
        ofGlobal,
      ),
    ],
    { error: ({ code }) => (code === 'invalid_union' ? 'must be global, random or none' : undefined) },
  )
  .optional()
  .describe(
    'First passwords of attendees on a platform of type http; mode left out: a random one each, which needs storeEncryptedPassword: true here and a top-level sealingKey.',
  )

const scheduleSchema = section({
  cron: cron()
    .describe('When `worker` runs it: minute, hour, day of month, month, day of week.')
    .meta({ examples: ['0 */4 * * *'] }),
  timeZone: timeZone().default('UTC').describe('Time zone (IANA name) of the cron expression.'),
  jitterSeconds: wholeNumberBetween(0, 3600)
    .default(300)
    .describe(
      'Seconds over which integrations that share a cron expression are spread; each has its own offset, always the same, of at most half the time between two runs; 0 means none.',
    ),
})
  .optional()
  .describe('When `event-sync worker` runs this integration; left out: only by hand.')

/** Sources and targets that are not part of this package, by their `type` in the configuration. */
export interface Outside {
  readonly sources: ReadonlyMap<string, AnySourceType>
  readonly targets: ReadonlyMap<string, OutsideTarget>
}

export const NOTHING_OUTSIDE: Outside = { sources: new Map(), targets: new Map() }

/**
 * Makes the schema of `source`, which covers all source types. The TypeScript type of the schema covers only
 * the sources of this package.
 */
function sourceSchema({ sources }: Outside) {
  const own = oneOf(SOURCES)
  const others = [...sources].map(([named, type]) =>
    section({ ...type.shape, type: z.literal(named) }).transform((source) => ({
      ...source,
      type: type.name,
      [OUTSIDE]: type,
    })),
  )
  return others.length === 0
    ? own
    : (z.discriminatedUnion('type', [...own.options, ...others] as never) as unknown as typeof own)
}

/**
 * Makes the schema of `platform`, which covers all target types. The TypeScript type of the schema covers only
 * the targets of this package.
 */
function platformSchema({ targets }: Outside) {
  const own = oneOf(TARGETS)
  const others = [...targets].map(([named, type]) =>
    section({ ...type.shape, type: z.literal(named) }).transform((platform) => ({
      ...platform,
      type: type.name,
      [OUTSIDE_TARGET]: type,
    })),
  )
  return others.length === 0
    ? own
    : (z.discriminatedUnion('type', [...own.options, ...others] as never) as unknown as typeof own)
}

/**
 * Checks the rules that compare several keys of an integration. The integration may also have other mistakes.
 */
function brokenRules(integration: unknown, outside: Outside): readonly Breach[] {
  const { source, content, fields, exclude, platform, handover } = mappingOf(integration)
  const broken = brokenExcludeRules(exclude, fields).map(({ path, message }) => ({
    path: ['exclude', ...path],
    message,
  }))
  return [
    ...broken,
    ...lackingAtSource(source, content, outside),
    ...lackingAtTarget(platform, content, handover, outside),
    ...withoutPlace(fields, platform, outside),
  ]
}

/** Returns the type that the value of `source` or `platform` names, before or after its check. */
function outsideOf<Type>(value: unknown, key: symbol, types: ReadonlyMap<string, Type>): Type | undefined {
  return Reflect.get(Object(value), key) ?? types.get(String(Reflect.get(Object(value), 'type')))
}

function lackingAtSource(source: unknown, content: unknown, outside: Outside): readonly Breach[] {
  const named = String(Reflect.get(Object(source), 'type'))
  const other = outsideOf(source, OUTSIDE, outside.sources)
  if (other === undefined && !Object.hasOwn(SOURCES, named)) return []
  const { title, transform } = sourceTypeOf({ type: named, ...(other && { [OUTSIDE]: other }) })
  const has = transform.contents.map((one) => one.content)
  const missing = lacking(content, has)
  if (missing.length === 0) return []
  const message = `${title} has no ${missing.join(' and no ')}; set content: [${has.join(', ')}]`
  return [{ path: ['content'], message }]
}

/**
 * Checks that the platform takes each content. If the platform cannot remove attendees, it cannot take the
 * account from the person before either, so `handover` must say that the new person gets the account.
 */
function lackingAtTarget(
  platform: unknown,
  content: unknown,
  handover: unknown,
  outside: Outside,
): readonly Breach[] {
  const target = outsideOf(platform, OUTSIDE_TARGET, outside.targets)
  if (target === undefined) return []
  const { title, contents, removes } = target
  const missing = lacking(content, contents)
  if (missing.length > 0) {
    const message = `${title} takes no ${missing.join(' and no ')}; set content: [${contents.join(', ')}]`
    return [{ path: ['content'], message }]
  }
  if (!contents.includes('attendees') || removes.includes('attendees') || handover === 'update') return []
  const message = `must be update, because ${title} cannot remove attendees: if a registration changes hands, the new person then gets the account`
  return [{ path: ['handover'], message }]
}

/** Finds custom fields for which the platform has no place. */
function withoutPlace(fields: unknown, platform: unknown, outside: Outside): readonly Breach[] {
  const { title, missingFields = {} } = outsideOf(platform, OUTSIDE_TARGET, outside.targets) ?? {}
  return CONTENTS.filter(
    (content) => missingFields[content]?.includes('custom') && Object.hasOwn(Object(fields), content),
  ).map((content) => ({
    path: ['fields', content],
    message: `${title} has no place for fields of your own of ${content}; remove this key`,
  }))
}

/** Returns the configured contents that are not in the list. */
const lacking = (content: unknown, has: readonly Content[]): readonly Content[] =>
  CONTENTS.filter((one) => !has.includes(one) && [content].flat().includes(one))

/** The keys of an integration, without the rules that compare keys. */
const integrationKeys = (outside: Outside) =>
  section({
    id: integrationId()
      .describe('Its name in commands, folders and the database; must be unique.')
      .meta({ examples: ['summit', 'expo'] }),
    name: text()
      .optional()
      .describe('Name of the event, in headings of reports and pages; left out: the id.')
      .meta({ examples: ['Summit 2031'] }),
    source: sourceSchema(outside).describe(
      'The source event to read; type may also be the path of a source of your own, from the folder of this file, or its package.',
    ),
    content: contentSchema,
    fields: customFieldsSchema,
    exclude: excludeSchema,
    platform: platformSchema(outside).describe('Destination of the content.'),
    removals: removalsSchema,
    handover: z
      .enum(['replace', 'update'])
      .default('replace')
      .describe(
        'What becomes of an attendee whose name and address change to those of another person; replace: removed, then created with a new password, also with removals.action: keep; update: the new person gets the account.',
      ),
    guards: guardsSchema,
    hints: hintsSchema,
    passwords: passwordsSchema,
    schedule: scheduleSchema,
  })

/** The schema of an integration. It checks only once what many integrations have in common. */
export function integrationSchemaWith(outside: Outside) {
  const keys = integrationKeys(outside)
  const shapesOf = {
    source: shapesByType(SOURCES, outside.sources),
    platform: shapesByType(TARGETS, outside.targets),
  }
  const check = checkAlikeOnce(
    keys,
    (key, type) => shapesOf[key].get(type),
    (integration) => brokenRules(integration, outside).length === 0,
  )
  const schema = keys
    .superRefine(
      (integration, context) => {
        for (const { path, message } of brokenRules(integration, outside)) {
          context.addIssue({ code: 'custom', path: [...path], message })
        }
      },
      { when: () => true },
    )
    .describe('One source event synced to one platform event.')
  return z.withParser(schema, (value) => check(value) ?? z.INVALID)
}

function shapesByType(own: Readonly<Record<string, Shaped>>, others: ReadonlyMap<string, Shaped>) {
  const named = [...Object.entries(own), ...others].map(([type, { shape }]) => [type, shape] as const)
  return new Map<unknown, TypedShape>(named)
}

interface Shaped {
  readonly shape: TypedShape
}
