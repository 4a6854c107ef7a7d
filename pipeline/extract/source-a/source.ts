import type { Resource, Source } from '../source.ts'
import type { SourceAConfig } from './config.ts'
import { PAGE_SIZE, readPages } from './pages.ts'
import { readRoom, readSession, readSessionType, readTimeSlotIn, readTrack, readUserWith } from './records.ts'

/** Path and expansion of each resource. Source: spec 4; spec-gaps, "Relations that were not expanded". */
const ENDPOINTS: Readonly<Record<string, { readonly path: string; readonly expand?: string }>> = {
  sessions: { path: 'Sessions', expand: 'Speakers' },
  time_slots: { path: 'TimeSlots' },
  rooms: { path: 'Rooms' },
  tracks: { path: 'Tracks' },
  session_types: { path: 'SessionTypes' },
  users: { path: 'Users', expand: 'SpeakingAt' },
}

/** Source A: an event-management system, read as an anonymous reader. Source: spec 2.1 to 2.4, 4, 5.1. */
export function sourceA(config: SourceAConfig): Source {
  return {
    type: 'a',
    resources: resourcesOf(config),
    within: new URL(`${config.url}/`),
    requestCost: 1,
    readToEnd: (resource, readPage, save, from) =>
      readPages((skip) => pageUrl(config, resource.name, skip), readPage, save, from),
    authorization: async () => ({}),
    renewAuthorization: () => undefined,
  }
}

function resourcesOf(config: SourceAConfig): readonly Resource[] {
  const times = ['start_time', 'start_time_status', 'end_time', 'end_time_status']
  const timeZone = config.timeZone ?? null
  const lookup = { contents: [], neededFor: ['agenda'], shapedBy: [] } as const
  return [
    {
      name: 'sessions',
      table: 'staging.a_sessions',
      columns: [
        'title',
        'description',
        'enabled',
        'visible_to_anonymous_users',
        'status',
        'time_slot_id',
        'room_id',
        'track_id',
        'session_type_id',
        'speaker_ids',
        'link_urls',
      ],
      shapedBy: [],
      contents: ['agenda'],
      neededFor: ['agenda', 'speakers'],
      read: readSession,
    },
    {
      ...lookup,
      name: 'time_slots',
      table: 'staging.a_time_slots',
      columns: times,
      shapedBy: [timeZone],
      read: readTimeSlotIn(timeZone),
    },
    { ...lookup, name: 'rooms', table: 'staging.a_rooms', columns: ['name', 'location'], read: readRoom },
    { ...lookup, name: 'tracks', table: 'staging.a_tracks', columns: ['title'], read: readTrack },
    {
      ...lookup,
      name: 'session_types',
      table: 'staging.a_session_types',
      columns: ['title', 'title_folded'],
      read: readSessionType,
    },
    {
      name: 'users',
      table: 'staging.a_users',
      columns: [
        'id',
        'first_name',
        'last_name',
        'email_address',
        'title',
        'company',
        'biography',
        'photo_link',
        'facebook_url',
        'linkedin_url',
        'has_speaker_role',
        'is_pending',
        'speaking_at',
      ],
      shapedBy: [config.fields],
      contents: ['speakers', 'attendees'],
      neededFor: ['speakers', 'attendees'],
      read: readUserWith(config.fields),
    },
  ]
}

function pageUrl(config: SourceAConfig, resource: string, skip: number): URL {
  const endpoint = ENDPOINTS[resource]
  if (endpoint === undefined) throw new Error(`source a has no resource ${resource}`)
  const path = ['api', config.version, config.eventId, endpoint.path].map(encodeURIComponent).join('/')
  const url = new URL(path, `${config.url}/`)
  if (endpoint.expand !== undefined) url.searchParams.set('$expand', endpoint.expand)
  url.searchParams.set('$orderby', 'Id')
  url.searchParams.set('$top', String(PAGE_SIZE))
  url.searchParams.set('$skip', String(skip))
  return url
}
