import { z } from 'zod'
import { users } from '../../../transforms/source-a/resources.ts'
import {
  baseUrl,
  type ConfigOf,
  keyOptions,
  pathSegment,
  sourceTimeZone,
  text,
} from '../../settings/values.ts'
import { sourceAuth } from '../contract/auth.ts'
import type { Source } from '../contract/source.ts'
import { makePageSize } from './page-size.ts'
import { readPages } from './pages.ts'

/** The value of `source` in event-sync.yaml for `type: a`. */
export const shapeA = {
  type: z
    .literal('a')
    .describe('Source A: an event-management system, read anonymously, or with credentials (auth).'),
  url: baseUrl()
    .describe('Address of the system, without /api.')
    .meta({ examples: ['https://source-a.example'] }),
  version: pathSegment().prefault('v1').describe('API version, the segment of the path after /api.'),
  eventId: pathSegment()
    .describe('The event in the source, as its paths name it.')
    .meta({ examples: ['4242'] }),
  auth: sourceAuth(),
  timeZone: sourceTimeZone(),
  speakers: z
    .enum(['listed', 'role', 'both'])
    .default('listed')
    .describe(
      'What makes a user a speaker: listed in a session or by SpeakingAt, the role Speaker, or both.',
    ),
  fields: keyOptions([users]),
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
    .default(['1:1 Meeting'])
    .describe(
      'Titles of the session types that are 1:1 meetings, which are not synced, in any case; 1:1 Meeting stands for all its usual spellings.',
    ),
  locationSeparator: z
    .string()
    .default(' - ')
    .describe("Text between a room's location and its name in the location of a session."),
}

export type SourceAConfig = ConfigOf<typeof shapeA>

/**
 * Path of each resource, and the relation that the request expands. Without `$expand`, the source returns an
 * empty relation.
 */
const ENDPOINTS: Readonly<Record<string, { readonly path: string; readonly expand?: string }>> = {
  sessions: { path: 'Sessions', expand: 'Speakers' },
  time_slots: { path: 'TimeSlots' },
  rooms: { path: 'Rooms' },
  tracks: { path: 'Tracks' },
  session_types: { path: 'SessionTypes' },
  users: { path: 'Users', expand: 'SpeakingAt' },
}

/**
 * Makes a reader of Source A, an event-management system. The reader uses credentials only if they are
 * configured.
 */
export function sourceA(
  config: SourceAConfig,
  authorized: Pick<Source, 'account' | 'authorization' | 'renewAuthorization'>,
): Source {
  const pageSize = makePageSize()
  return {
    type: 'a',
    within: new URL(`${config.url}/`),
    requestCost: 1,
    readToEnd: (resource, readPage, save, from) =>
      readPages(
        (skip) => pageUrl(config, resource.name, skip, pageSize.current()),
        pageSize.reading(readPage),
        pageSize.current,
        save,
        from,
      ),
    notes: pageSize.notes,
    ...authorized,
  }
}

function pageUrl(config: SourceAConfig, resource: string, skip: number, top: number): URL {
  const endpoint = ENDPOINTS[resource]
  if (endpoint === undefined) throw new Error(`source a has no resource ${resource}`)
  const path = ['api', config.version, config.eventId, endpoint.path].map(encodeURIComponent).join('/')
  const url = new URL(path, `${config.url}/`)
  if (endpoint.expand !== undefined) url.searchParams.set('$expand', endpoint.expand)
  url.searchParams.set('$orderby', 'Id')
  url.searchParams.set('$top', String(top))
  url.searchParams.set('$skip', String(skip))
  return url
}
