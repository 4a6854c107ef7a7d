import type { Content } from '../../../sql/tables.ts'

/** Contents in the order in which people think of an event. */
export const CONTENT_ORDER: readonly Content[] = ['agenda', 'speakers', 'attendees']

export const CONTENT_TITLE: Readonly<Record<Content, string>> = {
  agenda: 'Agenda',
  speakers: 'Speakers',
  attendees: 'Attendees',
}

/** `1,234,567`: the same in every locale. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 change`, `2,000 changes`. */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? '' : 's'}`
}

/** `2031-05-04 09:00:00 UTC`, of `2031-05-04T09:00:00.000Z`. */
export function inUtc(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`
}

/** Time between two instants, as people say it. */
export function tookFrom(start: string, end: string): string {
  const seconds = Math.round((Date.parse(end) - Date.parse(start)) / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${grouped(hours)} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

/** `Monday, 10 March 2031`. @param wallMs a time on the clock on the wall, as if it were UTC */
export function dayInWords(wallMs: number): string {
  const date = new Date(wallMs)
  const inEnglish = (part: 'weekday' | 'month') =>
    date.toLocaleDateString('en-US', { [part]: 'long', timeZone: 'UTC' })
  return `${inEnglish('weekday')}, ${date.getUTCDate()} ${inEnglish('month')} ${date.getUTCFullYear()}`
}

const REASONS: Readonly<Record<string, string>> = {
  invalid_record: 'could not be read',
  duplicate_id: 'a later record has the same id',
  cancelled: 'cancelled at the source',
  not_a_speaker: 'does not speak',
  not_published: 'not published',
  one_to_one_meeting: 'a 1:1 meeting',
  suppressed: 'left out by hand, with event-sync suppress',
  bad_time: 'a time that cannot be read, or an end that is not after its start',
}

export function reasonInWords(reason: string): string {
  const missing = 'missing_required:'
  if (reason.startsWith(missing)) return `no ${reason.slice(missing.length)}, which the platform requires`
  const rule = 'excluded_by_rule:'
  if (reason.startsWith(rule)) return `left out by the rule ${reason.slice(rule.length)} of the configuration`
  return REASONS[reason] ?? ''
}

const PROOFS: Readonly<Record<string, string>> = {
  overlap: 'the last page held only the record that was known already',
  'empty page': 'the last page was empty',
  'last link': 'the source named no further page',
  'total met': 'as many records came as the source declared',
  'unpaged array': 'the source answers with everything at once',
  none: 'no proof',
}

export function proofInWords(proof: string): string {
  return PROOFS[proof] ?? proof
}
