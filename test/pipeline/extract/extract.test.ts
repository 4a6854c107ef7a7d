import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SourceAData, startSampleSourceA } from '../../../pipeline/demo/sample-source-a.ts'
import { startSampleSourceB } from '../../../pipeline/demo/sample-source-b.ts'
import type { Reading } from '../../../pipeline/extract/certificate.ts'
import { extract } from '../../../pipeline/extract/extract.ts'
import { ReadError } from '../../../pipeline/extract/read-error.ts'
import { stage } from '../../../pipeline/stage.ts'
import type { Database } from '../../../sql/database.ts'
import { engines, openEngine } from '../../support/engines.ts'
import { failureOf, openRun, rowsOf, sendJson, serve, testEnvironment } from './support.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const all = ['agenda', 'speakers', 'attendees'] as const
const nothing: SourceAData = {
  Sessions: [],
  TimeSlots: [],
  Rooms: [],
  Tracks: [],
  SessionTypes: [],
  Users: [],
}
const secrets = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }
const byName = (readings: readonly Reading[]) =>
  Object.fromEntries(readings.map((reading) => [reading.resource.name, reading]))

describe.each(engines)('extract on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await openEngine(engine)
  })
  afterAll(() => database.close())

  /** What the incoming table of a reading holds, summed up by the database itself. */
  async function found({ incoming }: Reading) {
    const { rows } = await sql<Record<'elements' | 'faults' | 'checksum' | 'first' | 'last', string | null>>`
      select count(*)::text as elements, count(fault)::text as faults,
        coalesce(sum(row_check), 0)::text as checksum, min(ordinal)::text as first, max(ordinal)::text as last
      from ${sql.table(incoming)}`.execute(database.kysely)
    return rows[0]
  }

  test('every resource of Source A is in its own table, counted and summed', async () => {
    const data = {
      Sessions: [{ Id: 1, Speakers: [{ Id: 9 }] }, { Id: 2 }, 'no object'],
      TimeSlots: [{ Id: 3, StartTime: '2031-05-04T09:00Z' }],
      Rooms: [{ Id: 4, Name: 'Blue' }, { Name: 'no id' }],
      Tracks: [],
      SessionTypes: [{ Id: 6, Name: 'Talk' }],
      Users: [{ Id: 9, EmailAddress: 'a@x' }, { EmailAddress: 'B@x' }, { Id: 9, EmailAddress: 'c@x' }],
    }
    const source = await startSampleSourceA(data, { pageCap: 2 })
    open.push(source)
    const readings = await extract(
      openRun(database, { type: 'a', url: source.url, eventId: '4242' }, { content: all }),
    )
    expect(readings.map(({ resource }) => resource.name)).toEqual([
      'sessions',
      'time_slots',
      'rooms',
      'tracks',
      'session_types',
      'users',
    ])
    const counts = readings.map(({ resource, totals }) => [resource.name, totals.elements, totals.faults])
    expect(counts).toEqual([
      ['sessions', 3, 1],
      ['time_slots', 1, 0],
      ['rooms', 2, 1],
      ['tracks', 0, 0],
      ['session_types', 1, 0],
      ['users', 3, 0],
    ])
    for (const reading of readings) {
      const { elements, faults, checksum } = reading.totals
      expect(await found(reading)).toEqual({
        elements: String(elements),
        faults: String(faults),
        checksum: String(checksum),
        first: elements === 0 ? null : '1',
        last: elements === 0 ? null : String(elements),
      })
      expect(reading).toMatchObject({ certified: true, detail: '' })
    }
    const { sessions, rooms, users } = byName(readings)
    if (sessions === undefined || rooms === undefined || users === undefined) throw new Error('not read')
    expect(await rowsOf(database, sessions)).toEqual([
      { ordinal: 1, source_id: '1', fault_path: null, fault: null },
      { ordinal: 2, source_id: '2', fault_path: null, fault: null },
      { ordinal: 3, source_id: null, fault_path: '$', fault: 'not an object' },
    ])
    expect((await rowsOf(database, rooms))[1]).toEqual({
      ordinal: 2,
      source_id: null,
      fault_path: '$.Id',
      fault: 'no id',
    })
    expect((await rowsOf(database, users)).map((row) => row.source_id)).toEqual(['9', 'b@x', '9'])
  })

  test('columns, marks and document arrive as they were read', async () => {
    const text = String.raw`[{"Id":99999999999999999,"FirstName":"a\tb\\N\u0000","LastName":"{\"x\",}\n","Company":"\\.","SpeakingAt":["b,\"","a\\"],"IsPending":true,"Order":1.0,"Roles":["Speaker"],"Facebook":"?"}]`
    const server = await serve((request, response) => {
      response.end((request.url ?? '').endsWith('skip=0') ? text : '[]')
    })
    open.push(server)
    const [reading] = await extract(openRun(database, { type: 'a', url: server.url, eventId: 'x' }))
    if (reading === undefined) throw new Error('not read')
    const { rows } = await sql<Record<string, unknown>>`
      select source_id, id, first_name, last_name, company, speaking_at, is_pending, has_speaker_role, facebook_url,
        marks, doc::text as doc, length(version_hash) as bytes
      from ${sql.table(reading.incoming)}`.execute(database.kysely)
    expect(rows).toEqual([
      {
        source_id: '99999999999999999',
        id: '99999999999999999',
        first_name: 'a\tb\\N',
        last_name: '{"x",}',
        company: '\\.',
        speaking_at: ['a\\', 'b,"'],
        is_pending: true,
        has_speaker_role: true,
        facebook_url: null,
        marks: ['unsupported_character:first_name', 'left_out:facebook_url'],
        doc: expect.stringContaining('"Order": 1.0'),
        bytes: 32,
      },
    ])
  })

  test('every resource of Source B is read with one token', async () => {
    const environment = testEnvironment()
    const data = {
      sessions: [{ id: 1, name: 'x' }],
      registrants: Array.from({ length: 450 }, (_, index) => ({ id: index, email: `p${index}@x` })),
      regTypes: [{ id: 20, name: 'Speaker' }],
    }
    const source = await startSampleSourceB(data, { now: environment.now, itemsAs: 'object' })
    open.push(source)
    const readings = await extract(
      openRun(
        database,
        { type: 'b', url: source.url, eventId: '77', ...secrets },
        { content: all, environment },
      ),
    )
    expect(
      readings.map(({ resource, totals, declared, endProof }) => [
        resource.name,
        totals.elements,
        declared,
        endProof,
      ]),
    ).toEqual([
      ['sessions', 1, 1, 'total met'],
      ['registrants', 450, 450, 'total met'],
      ['reg_types', 1, 1, 'total met'],
    ])
    expect(source.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    for (const reading of readings) {
      expect((await found(reading))?.checksum).toBe(String(reading.totals.checksum))
    }
  })

  test('after failed tries and a second reading the tables hold what an undisturbed run reads', async () => {
    const list = Array.from({ length: 120 }, (_, index) => ({ Id: index + 1, Biography: 'x'.repeat(3000) }))
    const calm = await startSampleSourceA({ ...nothing, Users: list }, { pageCap: 50 })
    open.push(calm)
    const [expected] = await extract(openRun(database, { type: 'a', url: calm.url, eventId: '4242' }))
    const server = await serve((request, response, number) => {
      const skip = Number(new URL(request.url ?? '', 'http://a.example').searchParams.get('$skip'))
      const text = JSON.stringify(list.slice(skip, skip + 50))
      if (number === 1 || number === 3) response.write(text.slice(0, 120_000), () => response.destroy())
      else if (number === 4) response.end(JSON.stringify(list.slice(0, 40)))
      else if (number === 6) sendJson(response, {}, 500)
      else response.end(text)
    })
    open.push(server)
    const [reading] = await extract(openRun(database, { type: 'a', url: server.url, eventId: '4242' }))
    if (reading === undefined || expected === undefined) throw new Error('not read')
    expect(reading.totals).toEqual(expected.totals)
    expect(await found(reading)).toEqual(await found(expected))
    expect(await rowsOf(database, reading)).toEqual(await rowsOf(database, expected))
    expect(reading.certified).toBe(true)
  })

  test('a record that no engine could hold is quarantined, and the run goes on', async () => {
    const server = await serve((request, response) => {
      const skip = Number(new URL(request.url ?? '', 'http://a.example').searchParams.get('$skip'))
      const list = ['{"Id":1}', '{"Id":2,"a\\u0000\\ud800":[0,1e999999]}', '{"Id":3,"b":"\\ud800"}']
      response.end(`[${list.slice(skip).join()}]`)
    })
    open.push(server)
    const [reading] = await extract(openRun(database, { type: 'a', url: server.url, eventId: 'x' }))
    if (reading === undefined) throw new Error('not read')
    expect(await rowsOf(database, reading)).toEqual([
      { ordinal: 1, source_id: '1', fault_path: null, fault: null },
      {
        ordinal: 2,
        source_id: null,
        fault_path: '$.a\ufffd[1]',
        fault: 'a number that the database cannot hold',
      },
      { ordinal: 3, source_id: '3', fault_path: null, fault: null },
    ])
  })

  test('an id that no index could hold is quarantined, and the longest that is taken can be staged', async () => {
    const longest = randomBytes(500).toString('hex')
    const Users = [{ Id: longest }, { Id: randomBytes(5000).toString('hex') }, { Id: 'é'.repeat(501) }]
    const source = await startSampleSourceA({ ...nothing, Users })
    open.push(source)
    const run = openRun(database, { type: 'a', url: source.url, eventId: '4242' })
    const readings = await extract(run)
    const [reading] = readings
    if (reading === undefined) throw new Error('not read')
    const tooLong = { source_id: null, fault_path: '$.Id', fault: 'the id is longer than 1000 bytes' }
    expect(await rowsOf(database, reading)).toEqual([
      { ordinal: 1, source_id: longest, fault_path: null, fault: null },
      { ordinal: 2, ...tooLong },
      { ordinal: 3, ...tooLong },
    ])
    await expect(run.database.transaction((transaction) => stage(run, transaction, readings))).resolves.toBe(
      true,
    )
  })

  test('a table of the same run that a failed attempt left behind is made anew', async () => {
    const source = await startSampleSourceA({ ...nothing, Users: [{ Id: 1 }] })
    open.push(source)
    const run = openRun(database, { type: 'a', url: source.url, eventId: '4242' })
    await extract(run)
    const [again] = await extract(run)
    if (again === undefined) throw new Error('not read')
    expect(await rowsOf(database, again)).toHaveLength(1)
  })

  test('a database that fails fails the run at once, with its own error', async () => {
    const list = Array.from({ length: 3000 }, (_, index) => ({ Id: index + 1, Biography: 'x'.repeat(3000) }))
    const source = await startSampleSourceA({ ...nothing, Users: list })
    open.push(source)
    const environment = testEnvironment()
    const run = openRun(database, { type: 'a', url: source.url, eventId: '4242' }, { environment })
    const copyInto: Database['copyInto'] = (table, columns) => {
      const sink = database.copyInto(table, columns)
      let rows = 0
      return {
        ...sink,
        async write(row) {
          rows += 1
          if (rows > 50) throw new Error('disk full')
          return sink.write(row)
        },
        async commit() {
          if (rows > 50) throw new Error('used after its failure')
          await sink.commit()
        },
      }
    }
    const error = await failureOf(extract({ ...run, database: { ...database, copyInto } }))
    expect(error.message).toBe('disk full')
    expect(environment.sleeps).toEqual([])
    expect(source.requests).toHaveLength(1)
  })
})

describe('what is asked of a source', () => {
  let database: Database
  beforeAll(async () => {
    database = await openEngine('postgres')
  })
  afterAll(() => database.close())

  test.each<[readonly (typeof all)[number][], readonly string[]]>([
    [['agenda'], ['Rooms', 'SessionTypes', 'Sessions', 'TimeSlots', 'Tracks']],
    [['speakers'], ['Sessions', 'Users']],
    [['attendees'], ['Users']],
    [[...all], ['Rooms', 'SessionTypes', 'Sessions', 'TimeSlots', 'Tracks', 'Users']],
  ])('is only what %j need', async (content, resources) => {
    const source = await startSampleSourceA(nothing)
    open.push(source)
    await extract(openRun(database, { type: 'a', url: source.url, eventId: '4242' }, { content }))
    const asked = source.requests.map(({ path }) => new URL(path, source.url).pathname.split('/').at(-1))
    expect([...new Set(asked)].toSorted()).toEqual(resources)
  })

  test('comes from all resources at once', async () => {
    const waiting: (() => void)[] = []
    const server = await serve((_, response) => {
      waiting.push(() => sendJson(response, []))
      if (waiting.length === 6) for (const answer of waiting) answer()
    })
    open.push(server)
    const readings = await extract(
      openRun(database, { type: 'a', url: server.url, eventId: '4242' }, { content: all }),
    )
    expect(readings).toHaveLength(6)
  })

  test('when the source asks all resources to wait, the wait counts once', async () => {
    const environment = testEnvironment()
    // Time stands still until all six wait.
    const { promise: allWait, resolve } = Promise.withResolvers<void>()
    let waiting = 0
    const patient = {
      ...environment,
      sleep: async (ms: number) => {
        waiting += 1
        if (waiting === 6) resolve()
        await allWait
        await environment.sleep(ms)
      },
    }
    const server = await serve((_, response) => {
      if (waiting < 6) sendJson(response, {}, 429, { 'Retry-After': '200' })
      else sendJson(response, [])
    })
    open.push(server)
    const readings = await extract(
      openRun(
        database,
        { type: 'a', url: server.url, eventId: '4242' },
        { content: all, environment: patient, http: { retryBudgetSeconds: 300 } },
      ),
    )
    expect(readings.every(({ certified }) => certified)).toBe(true)
    expect(waiting).toBeGreaterThanOrEqual(6)
  })

  test('waits are told with page and cause', async () => {
    const waits: unknown[] = []
    const server = await serve((request, response, number) => {
      if (number === 2) sendJson(response, {}, 503, { 'Retry-After': '5' })
      else
        sendJson(
          response,
          [{ Id: 1 }, { Id: 2 }].slice(
            Number(new URL(request.url ?? '', 'http://a.example').searchParams.get('$skip')),
          ),
        )
    })
    open.push(server)
    const onWait = (...wait: readonly unknown[]) => void waits.push(wait)
    await extract(openRun(database, { type: 'a', url: server.url, eventId: '4242' }, { onWait }))
    expect(waits).toEqual([['users, page 2', 'answered 503', 5000]])
  })

  test('the answers that count are counted, and beside them every request that was sent', async () => {
    const bodies = ['[{"Id":1},', '[{"Id":1},{"Id":2}]', '[{"Id":2}]']
    const server = await serve((_, response, number) => response.end(bodies[number - 1]))
    open.push(server)
    const [reading] = await extract(openRun(database, { type: 'a', url: server.url, eventId: '4242' }))
    expect(reading).toMatchObject({ requests: 2, attempts: 3, totals: { elements: 2 } })
  })

  test('an answer larger than allowed fails at once', async () => {
    const server = await serve((_, response) =>
      sendJson(response, [{ Id: 1, Biography: 'x'.repeat(500_000) }]),
    )
    open.push(server)
    const source = { type: 'a', url: server.url, eventId: '4242' }
    const tooLarge = await failureOf(
      extract(openRun(database, source, { http: { maxResponseBytes: 100_000 } })),
    )
    expect(tooLarge.message).toBe('users, page 1: the answer is larger than http.maxResponseBytes (100000)')
    const record = await failureOf(extract(openRun(database, source, { http: { maxRecordBytes: 100_000 } })))
    expect(record.message).toBe('users, page 1: a record is larger than http.maxRecordBytes (100000)')
    expect(server.requests).toHaveLength(2)
  })
})

describe('credentials of Source B', () => {
  let database: Database
  beforeAll(async () => {
    database = await openEngine('postgres')
  })
  afterAll(() => database.close())

  const data = { sessions: [], registrants: [{ id: 1 }, { id: 2 }, { id: 3 }], regTypes: [] }
  const read = (
    url: string,
    environment = testEnvironment(),
    content: readonly (typeof all)[number][] = ['attendees'],
  ) => extract(openRun(database, { type: 'b', url, eventId: '77', ...secrets }, { environment, content }))

  test('a token that expires in the middle is renewed, and nothing is read twice', async () => {
    const environment = testEnvironment()
    const source = await startSampleSourceB(data, {
      pageCap: 1,
      // Every look at the clock takes half a minute, so that the token of two minutes ends between pages.
      now: () => {
        void environment.sleep(30_000)
        return environment.now()
      },
      tokenMinutes: 2,
    })
    open.push(source)
    const [reading] = await read(source.url, environment)
    expect(reading).toMatchObject({ certified: true, totals: { elements: 3 } })
    expect(source.requests.filter(({ method }) => method === 'POST').length).toBeGreaterThan(1)
  })

  test('a token that is refused is renewed once, by all requests together', async () => {
    let issued = 0
    const refusedWaiting: (() => void)[] = []
    const server = await serve((request, response) => {
      if (request.method === 'POST') {
        issued += 1
        sendJson(response, { access_token: `t${issued}`, type: 'bearer', expires_at: '2099-01-01 00:00:00' })
      } else if (request.headers.authorization === 'Bearer t1') {
        refusedWaiting.push(() => sendJson(response, { message: 'x' }, 401))
        if (refusedWaiting.length === 3) for (const refuse of refusedWaiting) refuse()
      } else sendJson(response, { items: [], _meta: { totalCount: 0 } })
    })
    open.push(server)
    const readings = await read(server.url, testEnvironment(), all)
    expect(readings).toHaveLength(3)
    expect(issued).toBe(2)
  })

  test('a source that refuses every token fails after the second', async () => {
    let issued = 0
    const server = await serve((request, response) => {
      if (request.method !== 'POST') return sendJson(response, { message: 'x' }, 401)
      issued += 1
      return sendJson(response, {
        access_token: `canary${issued}`,
        type: 'bearer',
        expires_at: '2099-01-01 00:00:00',
      })
    })
    open.push(server)
    const error = await failureOf(read(server.url))
    expect(error).toBeInstanceOf(ReadError)
    expect(error.message).toBe(
      'registrants, page 1: answered 401: check the credentials in the configuration',
    )
    expect(issued).toBe(2)
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('canary')
  })

  test('that are refused fail the run, and no error holds them', async () => {
    const source = await startSampleSourceB(data, { authenticationSecret: 'another' })
    open.push(source)
    const error = await failureOf(read(source.url))
    expect(error).toBeInstanceOf(ReadError)
    expect(error.message).toBe(
      'registrants, page 1: access token: answered 401: check the credentials in the configuration',
    )
    const printed = inspect(error, { depth: 20, showHidden: true })
    for (const secret of ['sample', 'key/1', 'secret+', 'sample%20key%2F1', 'c2FtcGxl']) {
      expect(printed).not.toContain(secret)
    }
    expect(source.requests).toHaveLength(1)
  })
})
