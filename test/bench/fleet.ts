import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeeded } from './logged-run.ts'
import type { Measure, Measurement } from './measurement.ts'
import { makePlace, type Place } from './place.ts'
import { withNewDatabase } from './server.ts'

const TABLE = 'many integrations'
const FOR_ONE = 5_000
const SCHEDULED = 1_000
const TIMES = 7

/**
 * Measures how much longer commands take if the configuration has many integrations: a command for one of
 * them, and `schedule` if no schedule was changed. The times are the shortest of several calls. The calls are
 * made in turn in a place with many integrations and in a place with one, so that other load on the machine
 * affects both.
 */
export const measureFleet: Measure = ({ folder, postgresUrl }) =>
  withNewDatabase(postgresUrl, (ofOne) =>
    withNewDatabase(postgresUrl, async (ofMany) => {
      const placeOf = (name: string, databaseUrl: string, count: number) => {
        const own = join(folder, name)
        const place = makePlace({ folder: own, databaseUrl, sourceUrl: 'https://source-b.example' })
        writeFileSync(join(own, 'event-sync.yaml'), configurationOf(count))
        return place
      }
      const one = placeOf('one', ofOne, 1)
      const scheduled = placeOf('scheduled', ofMany, SCHEDULED)
      const many = placeOf('many', ofMany, FOR_ONE)
      return [
        await compare(`runs of one of ${FOR_ONE.toLocaleString('en')}`, one, many, ['runs', ID]),
        await compare(`schedule of ${SCHEDULED.toLocaleString('en')}`, one, scheduled, ['schedule']),
      ]
    }),
  )

const ID = 'event-0'

/** Returns YAML, as users write it. Each integration has an id, a source event and secrets of its own. */
function configurationOf(integrations: number): string {
  const each = Array.from(
    { length: integrations },
    (_, index) => `  - id: event-${index}
    source:
      type: b
      url: https://source-b.example
      eventId: "${index}"
      apiKey: env:KEY_${index}
      authenticationSecret: env:SECRET_${index}
      timeZone: Europe/Berlin
    content: [agenda, speakers, attendees]
    platform: {type: jsonl}
    schedule: {cron: "0 */4 * * *", timeZone: Europe/Berlin}
`,
  )
  return `database: env:DATABASE_URL\nintegrations:\n${each.join('')}`
}

async function compare(
  what: string,
  one: Place,
  many: Place,
  command: readonly string[],
): Promise<Measurement> {
  const cost = async (place: Place) =>
    succeeded(command.join(' '), await place.command(...command)).cpuSeconds
  // The first call creates what later calls find unchanged: the database and its schedules.
  await cost(one)
  await cost(many)
  const [ofOne, ofMany]: [number[], number[]] = [[], []]
  for (let time = 0; time < TIMES; time += 1) {
    ofOne.push(await cost(one))
    ofMany.push(await cost(many))
  }
  const [oneCpuSeconds, cpuSeconds] = [Math.min(...ofOne), Math.min(...ofMany)]
  const values = { oneCpuSeconds, cpuSeconds, overOneCpuSeconds: cpuSeconds - oneCpuSeconds }
  return { table: TABLE, what, registrants: 0, values }
}
