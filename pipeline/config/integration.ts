import { z } from 'zod'
import { SOURCES } from '../extract/registry.ts'
import { TARGETS } from '../platform/registry.ts'
import { oneOf } from './forms.ts'
import {
  cron,
  integrationId,
  numberBetween,
  secretReference,
  section,
  timeZone,
  wholeNumberBetween,
} from './values.ts'

const most = Number.MAX_SAFE_INTEGER
const allContent = ['agenda', 'speakers', 'attendees'] as const

const contentSchema = z
  .array(z.enum(allContent))
  .min(1, { error: 'must name at least one of agenda, speakers and attendees' })
  .superRefine((list, context) => {
    for (const [index, content] of list.entries()) {
      if (list.indexOf(content) === index) continue
      context.addIssue({ code: 'custom', path: [index], message: `"${content}" is in the list twice` })
    }
  })
  .meta({ uniqueItems: true })
  // One order, so that the order in the file changes neither behaviour nor hash.
  .transform((list) => allContent.filter((content) => list.includes(content)))
  .prefault([...allContent])
  .describe('What to sync; content that is not listed is not planned at all.')

const removalsSchema = section({
  action: z
    .enum(['remove', 'keep'])
    .default('remove')
    .describe('What becomes of platform items whose records are gone, cancelled or no longer qualify.'),
  maxShare: numberBetween(0, 1)
    .default(0.2)
    .describe("Largest share of a content's live items, 0 to 1, that inferred removals may take unapproved."),
  minCount: wholeNumberBetween(0, most)
    .default(5)
    .describe(
      'Inferred removals of a content below this count pass whatever their share, unless none is left.',
    ),
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

const storeEncryptedPassword = z
  .boolean({ error: 'must be true or false' })
  .default(false)
  .describe("The platform's setting of this name: its welcome email contains the password.")

// Nothing below is quoted in a message: a password could stand in the wrong place.
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
          mode: z.literal('random').describe('A random password of 6 characters for each attendee.'),
          storeEncryptedPassword: z
            .literal(true, {
              error:
                'must be true with mode: random, where only the welcome email tells a person the password',
            })
            .describe("The platform's setting of this name; random passwords reach people in no other way."),
        },
        new Map([['global', 'mode: global']]),
      ),
      section(
        {
          mode: z.literal('none').describe('The platform signs people in by other means.'),
          storeEncryptedPassword,
        },
        new Map([['global', 'mode: global']]),
      ),
    ],
    { error: ({ code }) => (code === 'invalid_union' ? 'must be global, random or none' : undefined) },
  )
  .optional()
  .describe(
    'Passwords of newly created attendees; a platform of type http needs the choice; left out: no passwords.',
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

/** One source event synced to one platform event. */
export const integrationSchema = section({
  id: integrationId()
    .describe('Its name in commands, folders and the database; it stands once.')
    .meta({ examples: ['summit', 'expo'] }),
  source: oneOf(SOURCES).describe('The source event to read.'),
  content: contentSchema,
  platform: oneOf(TARGETS).describe('Where the content goes.'),
  removals: removalsSchema,
  guards: guardsSchema,
  passwords: passwordsSchema,
  schedule: scheduleSchema,
}).describe('One source event synced to one platform event.')
