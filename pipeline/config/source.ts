import { z } from 'zod'
import { baseUrl, nameOrNumber, pathSegment, secretReference, section, text, timeZone } from './values.ts'

const sourceTimeZone = timeZone()
  .optional()
  .describe('Time zone (IANA name) of times that carry no offset; left out: such times are bad_time.')
  .meta({ examples: ['Europe/Berlin'] })

const shapeA = {
  type: z.literal('a').describe('Source A: an event-management system, read anonymously.'),
  url: baseUrl()
    .describe('Address of the system, without /api.')
    .meta({ examples: ['https://source-a.example'] }),
  version: pathSegment().prefault('v1').describe('API version, the segment of the path after /api.'),
  eventId: pathSegment()
    .describe('The event in the source, as its paths name it.')
    .meta({ examples: ['4242'] }),
  timeZone: sourceTimeZone,
  speakers: z
    .enum(['listed', 'role', 'both'])
    .default('listed')
    .describe(
      'What makes a user a speaker: listed in a session or by SpeakingAt, the role Speaker, or both.',
    ),
  fields: section({
    facebook: text().default('Facebook').describe('Key of a user that holds the Facebook URL or handle.'),
    linkedin: text().default('LinkedIn').describe('Key of a user that holds the LinkedIn URL or handle.'),
  })
    .prefault({})
    .describe('Keys of the source for fields that the specification leaves open.'),
  sessionStatuses: z
    .array(text())
    .min(1, { error: 'must name at least one status; leave it out to keep all' })
    .optional()
    .describe('Keeps only sessions with one of these values of Status; left out: every status.')
    .meta({ examples: [['Accepted']] }),
  includeHidden: z
    .boolean()
    .default(false)
    .describe('Whether to sync sessions whose Enabled or VisibleToAnonymousUsers is false.'),
  includePending: z
    .boolean()
    .default(false)
    .describe('Whether a user whose IsPending is true can be a speaker.'),
  oneToOneTypes: z
    .array(text())
    .default(['1:1 Meeting', '1:1 meetings', 'One-to-one meeting'])
    .describe('Titles of the session types that are 1:1 meetings, which are not synced.'),
  locationSeparator: z
    .string()
    .default(' - ')
    .describe("Text between a room's location and its name in the location of a session."),
}

const shapeB = {
  type: z.literal('b').describe('Source B: a registration system, read with an API key.'),
  url: baseUrl()
    .describe('Address of the system, without /api.')
    .meta({ examples: ['https://source-b.example'] }),
  eventId: pathSegment()
    .describe('The event in the source, the value of event_id.')
    .meta({ examples: ['77'] }),
  apiKey: secretReference()
    .describe('API key of the source: env:NAME or file:PATH.')
    .meta({ examples: ['env:SOURCE_B_API_KEY'] }),
  authenticationSecret: secretReference()
    .describe('Authentication secret of the source: env:NAME or file:PATH.')
    .meta({ examples: ['env:SOURCE_B_AUTHENTICATION_SECRET'] }),
  speakerRegistrantType: nameOrNumber()
    .prefault('Speaker')
    .describe('Registrant type that makes a registrant a speaker: its name (case ignored) or its id.'),
  timeZone: sourceTimeZone,
  fields: section({
    email: text().default('email').describe('Key of a registrant that holds the e-mail address.'),
  })
    .prefault({})
    .describe('Keys of the source for fields that the specification leaves open.'),
  cancelledSpeakers: z
    .enum(['keep', 'exclude'])
    .default('keep')
    .describe('Whether a speaker whose registration is cancelled stays a speaker.'),
}

/** Where an integration reads from. Source: design 7; spec-gaps, "Decisions". */
export const sourceSchema = z
  .discriminatedUnion('type', [
    section(shapeA, new Map(Object.keys(shapeB).map((key) => [key, 'type: b']))),
    section(shapeB, new Map(Object.keys(shapeA).map((key) => [key, 'type: a']))),
  ])
  .describe('The source event to read.')
