import { z } from 'zod'
import { readFlag } from '../../../transforms/rules/flags.ts'
import type { Json, JsonObject } from '../../../transforms/rules/json.ts'
import { valueByKey } from '../../../transforms/rules/keys.ts'
import { readReferences } from '../../../transforms/rules/references.ts'
import { readText, storableText } from '../../../transforms/rules/text.ts'
import { readTimeOfA } from '../../../transforms/rules/times.ts'
import { readLinks, readSocialUrl, readUrl } from '../../../transforms/rules/urls.ts'
import { makeDoor, plain, raw, readBy, referencesInByteOrder, staged, text, timeColumns } from '../door.ts'
import type { SourceAConfig } from './config.ts'

const references = (value: Json | undefined) => readReferences(value, (element) => valueByKey(element, 'id'))

/** Sessions: what `GET Sessions?$expand=Speakers` gives. Source: spec 2.2; spec-gaps, "Sessions". */
export const readSession = makeDoor(
  z
    .object({
      id: text,
      title: text,
      description: text,
      enabled: plain(readFlag),
      visibletoanonymoususers: plain(readFlag),
      status: text,
      timeslotid: text,
      roomid: text,
      trackid: text,
      sessiontypeid: text,
      speakers: raw,
      speakerorder: raw,
      links: raw,
    })
    .transform((session) => {
      const speakers = references(session.speakers)
      const links = readLinks(session.links)
      return {
        source_id: session.id,
        title: session.title,
        description: session.description,
        enabled: session.enabled,
        visible_to_anonymous_users: session.visibletoanonymoususers,
        status: session.status,
        time_slot_id: session.timeslotid,
        room_id: session.roomid,
        track_id: session.trackid,
        session_type_id: session.sessiontypeid,
        speaker_ids: staged(inOrderOf(references(session.speakerorder).ids, speakers.ids), speakers.marks),
        link_urls: staged(links.links, links.marks),
      }
    }),
  '$.Id',
  foldKeys,
)

/** The ids that an order names come first and in its order; the order adds none. Source: spec-gaps, "References". */
function inOrderOf(order: readonly string[], ids: readonly string[]): readonly string[] {
  const first = order.filter((id) => ids.includes(id))
  return [...first, ...ids.filter((id) => !first.includes(id))]
}

/** Time slots. Times without an offset are local to `source.timeZone`. Source: spec 2.2; spec-gaps, "Times, A". */
export function readTimeSlotIn(timeZone: string | null) {
  return makeDoor(
    z.object({ id: text, starttime: raw, endtime: raw }).transform((slot) => ({
      source_id: slot.id,
      ...timeColumns('start_time', readTimeOfA(slot.starttime, timeZone)),
      ...timeColumns('end_time', readTimeOfA(slot.endtime, timeZone)),
    })),
    '$.Id',
    foldKeys,
  )
}

/** Rooms. Source: spec 2.2. */
export const readRoom = makeDoor(
  z
    .object({ id: text, name: text, location: text })
    .transform(({ id, name, location }) => ({ source_id: id, name, location })),
  '$.Id',
  foldKeys,
)

/** Tracks. Source: spec 2.2. */
export const readTrack = makeDoor(
  z.object({ id: text, title: text }).transform(({ id, title }) => ({ source_id: id, title })),
  '$.Id',
  foldKeys,
)

/** Session types, whose title some accounts call Name. Source: spec 2.2; spec-gaps, "SessionTypes". */
export const readSessionType = makeDoor(
  z.object({ id: text, title: text, name: text }).transform((type) => {
    // What was noticed of a title that the name stands in for is still to be told.
    const title =
      type.title.value === null
        ? staged(type.name.value, [...type.title.marks, ...type.name.marks])
        : type.title
    const folded = typeof title.value === 'string' ? title.value.toLowerCase() : null
    return { source_id: type.id, title, title_folded: staged(folded) }
  }),
  '$.Id',
  foldKeys,
)

/** Users, who may be speakers and attendees. Source: spec 2.3, 2.4; spec-gaps, "Users", "Ids". */
export function readUserWith(fields: SourceAConfig['fields']) {
  const facebookKey = fields.facebook.toLowerCase()
  const linkedinKey = fields.linkedin.toLowerCase()
  return makeDoor(
    z
      .object({
        id: text,
        firstname: text,
        lastname: text,
        emailaddress: text,
        title: text,
        company: text,
        biography: text,
        photolink: readBy(readUrl),
        roles: plain(hasSpeakerRole),
        ispending: plain(readFlag),
        speakingat: raw,
        [FACEBOOK]: readBy((value) => readSocialUrl(value, 'facebook')),
        [LINKEDIN]: readBy((value) => readSocialUrl(value, 'linkedin')),
      })
      .transform((user) => {
        const email = user.emailaddress.value
        return {
          source_id:
            user.id.value === null && typeof email === 'string'
              ? staged(email.toLowerCase(), user.id.marks)
              : user.id,
          id: user.id,
          first_name: user.firstname,
          last_name: user.lastname,
          email_address: user.emailaddress,
          title: user.title,
          company: user.company,
          biography: user.biography,
          photo_link: user.photolink,
          facebook_url: user[FACEBOOK],
          linkedin_url: user[LINKEDIN],
          has_speaker_role: user.roles,
          is_pending: user.ispending,
          speaking_at: referencesInByteOrder(references(user.speakingat)),
        }
      }),
    '$.Id',
    (record) => {
      const user = foldKeys(record)
      return { ...user, [FACEBOOK]: user[facebookKey] ?? null, [LINKEDIN]: user[linkedinKey] ?? null }
    },
  )
}

// Names that no folded key can have, since they hold capitals: the configured keys may be any others.
const FACEBOOK = 'FacebookUrl'
const LINKEDIN = 'LinkedInUrl'

/** `Roles` is a text such as `Admin|Speaker`, or a list. Source: spec-gaps, "Users". */
function hasSpeakerRole(value: Json | undefined): boolean {
  const roles = Array.isArray(value) ? value : (readText(value).value?.split(/[|,;]/) ?? [])
  return roles.some((role: Json) => readText(role).value?.toLowerCase() === 'speaker')
}

/** Keys in lower case; of several spellings of one key the first with a value. Source: spec-gaps, "Keys". */
function foldKeys(record: JsonObject): JsonObject {
  const folded: { [key: string]: Json } = {}
  for (const key of Object.keys(record)) {
    const value = record[key] ?? null
    const name = foldKey(key)
    if (!hasValue(folded[name])) folded[name] = value
  }
  return folded
}

function hasValue(value: Json | undefined): boolean {
  if (value === null || value === undefined) return false
  return typeof value !== 'string' || storableText(value).trim() !== ''
}

/** Keys repeat with every record, so each is folded once; hostile keys do not fill the memory. */
const foldedKeys = new Map<string, string>()
function foldKey(key: string): string {
  const known = foldedKeys.get(key)
  if (known !== undefined) return known
  const lower = key.toLowerCase()
  const folded = lower === '__proto__' ? lower.toUpperCase() : lower
  if (foldedKeys.size < 1000) foldedKeys.set(key, folded)
  return folded
}
