import type { Json, JsonObject } from './json.ts'
import { exactKey, keyInAnyCase, readIdList } from './model-read.ts'
import type { Current, Row } from './model-resource.ts'
import { timesOfA, timesOfB } from './model-session-times.ts'
import { readText } from './model-text.ts'
import { readLinks, readProfile, readTwitter, readUrl } from './model-urls.ts'
import type { Content, OptionsA, OptionsB } from './options.ts'

/** What of a record becomes a field of a content, and whether there is an item without it. */
interface Mapped {
  readonly contents: readonly Content[]
  readonly requiredFor?: readonly Content[]
}

/** Fields of the records by resource. Source: spec 2.2 to 2.8. */
const MAPPED: Readonly<Record<string, Readonly<Record<string, Mapped>>>> = {
  'a Sessions': {
    title: { contents: ['agenda'], requiredFor: ['agenda'] },
    slot: { contents: ['agenda'], requiredFor: ['agenda'] },
    ...Object.fromEntries(
      ['description', 'room', 'track', 'type', 'speakers', 'links'].map((name) => [
        name,
        { contents: ['agenda'] },
      ]),
    ),
  },
  'a TimeSlots': {
    start: { contents: ['agenda'], requiredFor: ['agenda'] },
    end: { contents: ['agenda'], requiredFor: ['agenda'] },
  },
  'a Rooms': { location: { contents: ['agenda'] }, name: { contents: ['agenda'] } },
  'a Tracks': { title: { contents: ['agenda'] } },
  'a SessionTypes': { title: { contents: ['agenda'] } },
  'a Users': {
    ...people(),
    biography: { contents: ['speakers'] },
    photo: { contents: ['speakers'] },
    facebook: { contents: ['speakers'] },
    linkedin: { contents: ['speakers'] },
    speakingAt: { contents: ['speakers'] },
  },
  'b sessions': {
    name: { contents: ['agenda'], requiredFor: ['agenda'] },
    start: { contents: ['agenda'], requiredFor: ['agenda'] },
    end: { contents: ['agenda'], requiredFor: ['agenda'] },
    description: { contents: ['agenda'] },
  },
  'b registrants': {
    ...people(),
    biography: { contents: ['speakers', 'attendees'] },
    phone: { contents: ['attendees'] },
    twitter: { contents: ['speakers'] },
    sessions: { contents: ['speakers', 'attendees'] },
  },
  'b reg-types': {},
}

function people(): Record<string, Mapped> {
  const both: readonly Content[] = ['speakers', 'attendees']
  return {
    firstName: { contents: both, requiredFor: both },
    lastName: { contents: both, requiredFor: both },
    email: { contents: ['attendees'], requiredFor: ['attendees'] },
    title: { contents: both },
    company: { contents: both },
  }
}

/** Names of the fields of a resource that the contents use, each with whether one of them requires it. */
export function fieldsOf(type: 'a' | 'b', resource: string, contents: readonly Content[]) {
  const uses = (list: readonly Content[] = []) => list.some((content) => contents.includes(content))
  return Object.entries(MAPPED[`${type} ${resource}`] ?? {})
    .filter(([, mapped]) => uses(mapped.contents))
    .map(([name, { requiredFor }]) => ({ name, isRequired: uses(requiredFor) }))
}

/** Names of the fields with a value, by record. */
export type Filled = ReadonlyMap<string, ReadonlySet<string>>

/** @param before of the run before: what was not seen stays as it was read then */
export function filledOf(
  resource: string,
  current: Current,
  rows: readonly Row[],
  before: Filled,
  read: (resource: string, record: JsonObject) => Readonly<Record<string, boolean>>,
): Filled {
  const unseen = new Set(rows.filter(({ status }) => status === 'unseen').map(({ id }) => id))
  return new Map(
    [...current].map(([id, record]) => {
      const known = unseen.has(id) ? before.get(id) : undefined
      const names = Object.entries(read(resource, record)).flatMap(([name, has]) => (has ? name : []))
      return [id, known ?? new Set(names)]
    }),
  )
}

const hasText = (value: Json | undefined) => readText(value).text !== null

export function readFilledA(
  options: OptionsA,
): (resource: string, record: JsonObject) => Readonly<Record<string, boolean>> {
  return (resource, record) => {
    const has = (key: string) => hasText(keyInAnyCase(record, key))
    switch (resource) {
      case 'Sessions':
        return {
          title: has('Title'),
          slot: has('TimeSlotId'),
          description: has('Description'),
          room: has('RoomId'),
          track: has('TrackId'),
          type: has('SessionTypeId'),
          speakers: readIdList(keyInAnyCase(record, 'Speakers'), keyInAnyCase, 'Id').ids.length > 0,
          links: readLinks(keyInAnyCase(record, 'Links')).urls.length > 0,
        }
      case 'TimeSlots': {
        const { start, end } = timesOfA(record, options.timeZone)
        return { start: start.state === 'read', end: end.state === 'read' }
      }
      case 'Rooms':
        return { location: has('Location'), name: has('Name') }
      case 'Tracks':
        return { title: has('Title') }
      case 'SessionTypes':
        return { title: has('Title') || has('Name') }
      default: {
        const { facebook = 'Facebook', linkedin = 'LinkedIn' } = options.fields ?? {}
        const profile = (key: string, site: string, path: string) =>
          readProfile(keyInAnyCase(record, key), site, path).url !== null
        return {
          firstName: has('FirstName'),
          lastName: has('LastName'),
          email: has('EmailAddress'),
          title: has('Title'),
          company: has('Company'),
          biography: has('Biography'),
          photo: readUrl(keyInAnyCase(record, 'PhotoLink')).url !== null,
          facebook: profile(facebook, 'facebook.com', '/'),
          linkedin: profile(linkedin, 'linkedin.com', '/in/'),
          speakingAt: readIdList(keyInAnyCase(record, 'SpeakingAt'), keyInAnyCase, 'Id').ids.length > 0,
        }
      }
    }
  }
}

export function readFilledB(
  options: OptionsB,
): (resource: string, record: JsonObject) => Readonly<Record<string, boolean>> {
  return (resource, record) => {
    const has = (key: string) => hasText(exactKey(record, key))
    if (resource === 'sessions') {
      const { start, end } = timesOfB(record, options.timeZone)
      return {
        name: has('name'),
        start: start.state === 'read',
        end: end.state === 'read',
        description: has('description'),
      }
    }
    return {
      firstName: has('first_name'),
      lastName: has('last_name'),
      email: has(options.fields?.email ?? 'email'),
      title: has('job_title'),
      company: has('company'),
      biography: has('bio'),
      phone: has('mobile_phone'),
      twitter: readTwitter(exactKey(record, 'twitter_handle')).url !== null,
      sessions: readIdList(exactKey(record, 'session_ids'), exactKey, 'id').ids.length > 0,
    }
  }
}
