import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/package-root.ts'
import { type Dictionary, readDictionary } from '../../sql/dictionary.ts'
import { syncOnce } from '../cases/sync-once.ts'
import { engines } from '../support/engines.ts'
import { runId } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'

/** A row of the table of places in sql/README.md. */
interface Place {
  readonly table: string
  /** Column that holds the person's id, or a list with it; null where nothing does. */
  readonly foundBy: string | null
}

const page = readFileSync(join(packageRoot, 'sql', 'README.md'), 'utf8')
const places: readonly Place[] = [
  ...page.matchAll(/^\| `((?:staging|sync)\.\w+)` \| .*? \| (?:`(\w+)`|–) \| .* \|$/gm),
].map(([, table = '', foundBy = null]) => ({ table, foundBy }))

/** What no record but that of one person has. */
const CANARY = 'Zyxomma'

/** People by the id that they are found by. */
const people = {
  // Speaker and attendee.
  withId: { Id: 'u1', FirstName: `${CANARY} One`, LastName: 'Of', EmailAddress: 'one@zyxomma.example' },
  withoutId: { FirstName: `${CANARY} Two`, LastName: 'Of', EmailAddress: 'Two@zyxomma.example' },
}
const profile = {
  Title: `${CANARY} title`,
  Company: `${CANARY} Ltd`,
  Biography: `${CANARY} wrote`,
  PhotoLink: 'https://zyxomma.example/one.jpg',
  Facebook: 'zyxomma.one',
  LinkedIn: 'zyxomma-one',
}
const registrant = {
  id: 7,
  first_name: `${CANARY} Seven`,
  last_name: 'Of',
  email: 'seven@zyxomma.example',
  job_title: `${CANARY} title`,
  company: `${CANARY} Ltd`,
  bio: `${CANARY} wrote`,
  mobile_phone: '+49 30 zyxomma',
  twitter_handle: 'zyxomma7',
  reg_type_id: 20,
  session_ids: [500],
}

const slot = { Id: 1, StartTime: '2031-05-04T13:00:00Z', EndTime: '2031-05-04T14:00:00Z' }
const session = (more: object) => ({ Id: 101, Title: 'Opening', TimeSlotId: 1, ...more })

/** What the sources hold in one run after the other: there, changed and twice, not seen, gone. */
const ofA = [
  [people.withId, people.withoutId],
  [
    { ...people.withId, ...profile },
    people.withId,
    people.withoutId,
    people.withoutId,
    { ...people.withId, ...profile },
  ],
  ['no object', { ...people.withId, Company: `${CANARY} plc` }],
  [{ Id: 'u2', FirstName: 'A', LastName: 'B', EmailAddress: 'a@people.example' }],
].map((Users) => ({
  Sessions: [session({ Speakers: Users.filter((user) => typeof user === 'object' && 'Id' in user) })],
  TimeSlots: [slot],
  Users,
}))
const ofB = [
  [registrant],
  [{ ...registrant, company: `${CANARY} plc` }, registrant],
  [{}],
  [{ ...registrant, cancelled_at: '2031-05-01' }],
  [],
].map((registrants) => ({
  sessions: [
    { id: 500, name: 'Opening', date: '2031-05-04', start_time: '09:00', end_time: '10:00', timezone: 'UTC' },
  ],
  registrants,
  reg_types: [{ id: 20, name: 'Speaker' }],
}))

/** Ids under which the database may know them, in each integration. */
const IDS: Readonly<Record<string, readonly string[]>> = {
  summit: ['u1', 'two@zyxomma.example'],
  expo: ['7'],
}

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  let dictionary: Dictionary

  beforeAll(async () => {
    const output = mkdtempSync(join(tmpdir(), 'event-sync-personal-'))
    const removals = {
      removals: { maxShare: 1, minCount: 100 },
      guards: { massUpdate: 1, blackout: false, maxQuarantined: 9 },
    }
    const stories = { summit: ofA, expo: ofB }
    for (const [name, states] of Object.entries(stories)) {
      const type = name === 'summit' ? 'a' : 'b'
      const integration = { source: { type, timeZone: 'UTC' }, ...removals } as const
      for (const [place, files] of states.entries()) {
        const story = { name, folder: '', integration }
        const started = syncOnce({ story, database: database(), output, files, runId: runId(place + 1) })
        // A plan that a guard holds has stored all the same what it would have sent.
        await started.catch((error: Error) => expect(error.message).toMatch(/the run is held/))
      }
    }
    rmSync(output, { recursive: true, force: true })
    dictionary = await readDictionary(database().kysely)
  })

  const relations = () =>
    dictionary.schemas.flatMap((schema) =>
      schema.relations.map((relation) => ({ ...relation, of: `${schema.name}.${relation.name}` })),
    )

  test('the page names each table that has columns for values of people, and no other', () => {
    const marked = relations().filter(
      ({ kind, columns }) => kind === 'table' && columns.some(({ personal }) => personal),
    )
    expect(places.map(({ table }) => table).toSorted()).toEqual(marked.map(({ of }) => of).toSorted())
  })

  test('a function is marked where rows that it gives have values of people', () => {
    const functions = dictionary.schemas.flatMap((schema) => schema.functions)
    expect(functions.length).toBeGreaterThan(20)
    for (const { name, returns, personal } of functions) {
      const given = relations().filter(({ of }) => new RegExp(`\\b${of}\\b`).test(returns))
      const expected = given.some(({ columns }) => columns.some((column) => column.personal))
      expect([name, personal]).toEqual([name, expected])
    }
  })

  test('each place is keyed by integration and by the column that stands there', () => {
    for (const { table, foundBy } of places) {
      const columns = relations()
        .find(({ of }) => of === table)
        ?.columns.map(({ name }) => name)
      expect(columns).toContain('integration_id')
      if (foundBy !== null) expect(columns).toContain(foundBy)
    }
  })

  test('values of people stand in columns that are marked only', async () => {
    const found: string[] = []
    for (const { of, columns } of relations()) {
      for (const { name, personal } of columns) {
        const { rows } = await sql<{ holds: boolean }>`
          select exists (select from ${sql.table(of)} where ${sql.ref(name)}::text ilike ${'%zyxomma%'}) as holds`.execute(
          database().kysely,
        )
        if (rows[0]?.holds && !personal) found.push(`${of}.${name}`)
      }
    }
    expect(found).toEqual([])
  })

  test('each row with a value of a person is found by integration and id, as the page says', async () => {
    const reached: string[] = []
    for (const { of, kind } of relations()) {
      if (kind === 'view') continue
      const { rows } = await sql<{ row: Readonly<Record<string, unknown>> }>`
        select to_jsonb(held) as row from ${sql.table(of)} as held
        where to_jsonb(held)::text ilike ${'%zyxomma%'}`.execute(database().kysely)
      if (rows.length === 0) continue
      reached.push(of)
      const foundBy = places.find(({ table }) => table === of)?.foundBy ?? ''
      for (const { row } of rows) {
        const ids = IDS[String(row.integration_id)] ?? []
        expect([of, row[foundBy]].flat().filter((value) => ids.includes(String(value)))).not.toEqual([])
      }
    }
    // Sealed passwords need a platform that takes them; the others hold ids or names of people at the keyboard.
    const others = [
      'sync.forgotten',
      'sync.passwords',
      'sync.purges',
      'sync.readings',
      'sync.runs',
      'sync.superseded_manifests',
    ]
    expect([...reached, ...others].toSorted()).toEqual(places.map(({ table }) => table).toSorted())
  })
})
