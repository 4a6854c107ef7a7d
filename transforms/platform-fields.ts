import type { Content, Fields } from '../sql/tables.ts'

/** Platform fields of each content, in the order of the specification. Source: design 8. */
export const PLATFORM_FIELDS: Readonly<Record<Content, readonly string[]>> = {
  agenda: [
    'name',
    'startTime',
    'endTime',
    'description',
    'location',
    'sessionTracks',
    'filterGroup',
    'subFilters',
    'speakerIds',
    'linkUrls',
  ],
  speakers: [
    'firstName',
    'lastName',
    'title',
    'company',
    'description',
    'imageUrl',
    'sessionIds',
    'attendeeId',
    'facebookUrl',
    'linkedinUrl',
    'twitter',
  ],
  attendees: [
    'firstName',
    'lastName',
    'emailAddress',
    'title',
    'company',
    'biography',
    'phone',
    'personalAgenda',
  ],
}

/** Fields without which there is no item, beside the unique ID. Source: spec 2.2 to 2.8. */
export const REQUIRED_FIELDS: Readonly<Record<Content, readonly string[]>> = {
  agenda: ['name', 'startTime', 'endTime'],
  speakers: ['firstName', 'lastName'],
  attendees: ['firstName', 'lastName', 'emailAddress'],
}

/** The fields of an item in the order of the specification: jsonb keeps an order of its own. */
export function inPlatformOrder(content: Content, fields: Fields): Fields {
  const ordered: Record<string, string | readonly string[]> = {}
  for (const name of PLATFORM_FIELDS[content]) {
    const value = fields[name]
    if (value !== undefined) ordered[name] = value
  }
  return ordered
}
