import type { Source } from '../contract/source.ts'
import type { SourceAConfig } from './config.ts'
import { PAGE_SIZE, readPages } from './pages.ts'

/** Path and expansion of each resource; relations that are not expanded come empty. */
const ENDPOINTS: Readonly<Record<string, { readonly path: string; readonly expand?: string }>> = {
  sessions: { path: 'Sessions', expand: 'Speakers' },
  time_slots: { path: 'TimeSlots' },
  rooms: { path: 'Rooms' },
  tracks: { path: 'Tracks' },
  session_types: { path: 'SessionTypes' },
  users: { path: 'Users', expand: 'SpeakingAt' },
}

/** Source A: an event-management system, read as an anonymous reader. */
export function sourceA(config: SourceAConfig): Source {
  return {
    type: 'a',
    within: new URL(`${config.url}/`),
    requestCost: 1,
    readToEnd: (resource, readPage, save, from) =>
      readPages((skip) => pageUrl(config, resource.name, skip), readPage, save, from),
    authorization: async () => ({}),
    renewAuthorization: () => undefined,
  }
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
