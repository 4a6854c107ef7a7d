import type { Resources } from '../traps/sync.ts'
import { byTextRule, idsAmong } from './strings.ts'
import type { Expected } from './text-expected.ts'

const WHEN = { startTime: '2031-08-08T09:00:00Z', endTime: '2031-08-08T10:00:00Z' }
const wireTimes = { date: '2031-08-08', start_time: '09:00:00', end_time: '10:00:00' }

/** A twitter_handle of another form has a rule of its own. */
const isHandle = (text: string) => !/^(?:@|https?:\/\/)/i.test(byTextRule(text) ?? '')

/**
 * Each string in every text field of Source B, and in every id.
 *
 * @param optional strings of the fields that may be absent, in the order of `required`
 */
export function recordsOfB(required: readonly string[], optional: readonly string[]): Resources {
  const ids = idsAmong(required)
  return {
    regTypes: [{ id: 902, name: 'Speaker' }],
    sessions: [
      ...required.map((text, n) => ({ ...wireTimes, id: `required-${n}`, name: text })),
      ...optional.map((text, n) => ({ ...wireTimes, id: `optional-${n}`, name: 'T', description: text })),
      ...ids.map(({ text }) => ({ ...wireTimes, id: text, name: 'T' })),
    ],
    registrants: [
      ...required.map((text, n) => ({ ...nameOf(text), id: `required-${n}` })),
      ...optional.map((text, n) => ({
        ...nameOf('N'),
        id: `optional-${n}`,
        job_title: text,
        company: text,
        bio: text,
        mobile_phone: text,
        twitter_handle: isHandle(text) ? text : null,
      })),
      ...ids.map(({ text }) => ({ ...nameOf('N'), id: text, session_ids: [text] })),
    ],
  }
}

function nameOf(text: string) {
  return { first_name: text, last_name: text, email: text, reg_type_id: 902 }
}

/** What the platform must have then. */
export function expectedOfB(required: readonly string[], optional: readonly string[]): Expected {
  const ids = idsAmong(required)
  const requiredValues = [...required.entries()].flatMap(([n, text]) => {
    const value = byTextRule(text)
    return value === undefined ? [] : [[`required-${n}`, value] as const]
  })
  const optionalValues = optional.map((text, n) => {
    const value = byTextRule(text)
    return [`optional-${n}`, value, isHandle(text) ? value : undefined] as const
  })
  const names = (value: string) => ({ firstName: value, lastName: value })
  return {
    agenda: [
      ...requiredValues.map(([id, value]) => [id, { ...WHEN, name: value }] as const),
      ...optionalValues.map(([id, value]) => [id, { ...WHEN, name: 'T', description: value }] as const),
      ...ids.map(({ id }) => [id, { ...WHEN, name: 'T' }] as const),
    ],
    speakers: [
      ...requiredValues.map(([id, value]) => [id, { ...names(value), attendeeId: id }] as const),
      ...optionalValues.map(([id, value, twitter]) => {
        const texts = { title: value, company: value, description: value, twitter }
        return [id, { ...names('N'), ...texts, attendeeId: id }] as const
      }),
      ...ids.map(({ id }) => [id, { ...names('N'), attendeeId: id, sessionIds: [id] }] as const),
    ],
    attendees: [
      ...requiredValues.map(([id, value]) => [id, { ...names(value), emailAddress: value }] as const),
      ...optionalValues.map(([id, value]) => {
        const texts = { title: value, company: value, biography: value, phone: value }
        return [id, { ...names('N'), emailAddress: 'N', ...texts }] as const
      }),
      ...ids.map(({ id }) => [id, { ...names('N'), emailAddress: 'N', personalAgenda: [id] }] as const),
    ],
  }
}
