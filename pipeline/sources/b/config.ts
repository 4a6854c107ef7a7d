import { z } from 'zod'
import { registrants } from '../../../transforms/resources/source-b.ts'
import type { ConfigOf } from '../../settings/forms.ts'
import { sourceReading } from '../../settings/reading.ts'
import {
  baseUrl,
  keyOptions,
  nameOrNumber,
  pathSegment,
  secretReference,
  sourceTimeZone,
} from '../../settings/values.ts'

/** `source` of event-sync.yaml, `type: b`. */
export const shapeB = {
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
  timeZone: sourceTimeZone(),
  fields: keyOptions([registrants]),
  cancelledSpeakers: z
    .enum(['keep', 'exclude'])
    .default('keep')
    .describe('Whether a speaker whose registration is cancelled stays a speaker.'),
  reading: sourceReading(),
}

export type SourceBConfig = ConfigOf<typeof shapeB>
