import { makeRandom } from '../harness/random.ts'

const givenNames = 'Amelia Bram Chloé Дмитрий Esther Søren 美咲 Ngozi Íñigo Iris'.split(' ')
const familyNames = 'Ashgrove Bellweather Desrosiers Орлов Müßig Okonjo 高橋 Carrow'.split(' ')
const companies = ['Tidemark Analytics', 'Nordlicht Verkehr GmbH', 'Blue Heron Maps', 'Møller & Søn A/S']
const jobTitles = 'Data Engineer|Urban Planner|Senior Researcher|Head of Operations|Student'.split('|')
const bio = 'Works on timetables, maps and the people who read them; likes short meetings.'

/**
 * Source B registrants for benchmarks, about 450 bytes of JSON each and mostly ordinary: one in 50 is a
 * speaker, one in 25 has cancelled, one in 50 names its sessions in a string.
 *
 * Each is made when it is asked for, by its index alone, so a million never are in memory. Ids are 1 to `count`; sessions
 * are those with ids 1 to 200.
 */
export function* registrantsOf(count: number, seed = 2031): Generator<unknown> {
  for (let index = 0; index < count; index += 1) yield registrantAt(index, seed)
}

function registrantAt(index: number, seed: number): unknown {
  const random = makeRandom(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35))
  const kind = random.below(100)
  const sessions = Array.from({ length: 1 + random.below(4) }, () => 1 + random.below(200))
  const isCancelled = kind < 4
  return {
    id: index + 1,
    event_id: 77,
    email: `guest.${index + 1}@example.com`,
    first_name: random.pick(givenNames),
    last_name: random.pick(familyNames),
    job_title: random.pick(jobTitles),
    company: random.pick(companies),
    bio,
    mobile_phone: `+1 202 555 01${10 + random.below(90)}`,
    twitter_handle: '',
    reg_type_id: kind > 97 ? 902 : 901,
    session_ids: kind === 10 || kind === 11 ? sessions.join(',') : sessions,
    waitlisted_session_ids: [],
    registration_status: isCancelled ? 'cancelled' : 'confirmed',
    created_at: '2030-11-05 12:00:00',
    cancelled_at: isCancelled ? '2031-02-01 08:15:30' : null,
  }
}
