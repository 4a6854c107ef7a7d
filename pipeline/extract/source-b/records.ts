import { z } from 'zod'
import { isCancelled } from '../../../transforms/rules/flags.ts'
import { isJsonObject, type Json } from '../../../transforms/rules/json.ts'
import { readReferences } from '../../../transforms/rules/references.ts'
import { readText } from '../../../transforms/rules/text.ts'
import { readTimesOfB } from '../../../transforms/rules/times.ts'
import { readTwitter } from '../../../transforms/rules/urls.ts'
import { makeDoor, plain, raw, readBy, referencesInByteOrder, staged, text, timeColumns } from '../door.ts'
import type { StagedValue } from '../source.ts'
import type { SourceBConfig } from './config.ts'

/** Sessions. Times are local to the session's own zone, else to `source.timeZone`. Source: spec 2.6; "Times, B". */
export function readSessionIn(timeZone: string | null) {
  return makeDoor(
    z
      .object({
        id: text,
        name: text,
        description: text,
        date: raw,
        start_time: raw,
        end_time: raw,
        timezone: raw,
      })
      .transform(({ id, name, description, date, start_time, end_time, timezone }) => {
        const times = readTimesOfB({ date, start_time, end_time, timezone }, timeZone)
        return {
          source_id: id,
          name,
          description,
          ...timeColumns('start_time', times.start),
          ...timeColumns('end_time', times.end),
          time_zone: staged(times.timeZone),
        }
      }),
    '$.id',
  )
}

/** Registrants, who may be speakers and attendees. Source: spec 2.7, 2.8; spec-gaps, "Source B, on the wire". */
export function readRegistrantWith(fields: SourceBConfig['fields']) {
  return makeDoor(
    z
      .object({
        id: text,
        first_name: text,
        last_name: text,
        [EMAIL]: text,
        job_title: text,
        company: text,
        bio: text,
        mobile_phone: text,
        twitter_handle: readBy(readTwitter),
        reg_type_id: raw,
        session_ids: raw,
        cancelled_at: plain(cancelledAt),
      })
      .transform((registrant) => ({
        source_id: registrant.id,
        first_name: registrant.first_name,
        last_name: registrant.last_name,
        email: registrant[EMAIL],
        job_title: registrant.job_title,
        company: registrant.company,
        bio: registrant.bio,
        mobile_phone: registrant.mobile_phone,
        twitter_handle: registrant.twitter_handle,
        ...regTypeColumns(registrant.reg_type_id),
        session_ids: referencesInByteOrder(readReferences(registrant.session_ids, (element) => element.id)),
        cancelled_at: registrant.cancelled_at,
      })),
    '$.id',
    (record) => (fields.email === EMAIL ? record : { ...record, [EMAIL]: record[fields.email] ?? null }),
  )
}

const EMAIL = 'email'

/** Registrant types. Source: spec 2.5; spec-gaps, "reg_type_id". */
export const readRegType = makeDoor(
  z.object({ id: text, name: text }).transform(({ id, name }) => ({
    source_id: id,
    name,
    name_folded: staged(folded(name.value)),
  })),
  '$.id',
)

/** A number, a text, or `{"id":20,"value":"Speaker"}`. Source: spec-gaps, "reg_type_id", "Speakers, B". */
function regTypeColumns(value: Json | undefined): Record<string, StagedValue> {
  const isObject = isJsonObject(value)
  const id = readText(isObject ? value.id : value).value
  const name = isObject ? readText(value.value).value : null
  return {
    reg_type_id: staged(id),
    reg_type_value: staged(name),
    reg_type_folded: staged(folded(name ?? id)),
  }
}

function folded(value: StagedValue['value']): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null
}

/** The date as received, or null where the registrant is not cancelled. Source: spec-gaps, "cancelled_at". */
function cancelledAt(value: Json | undefined): string | null {
  if (!isCancelled(value)) return null
  return readText(value).value ?? JSON.stringify(value)
}
