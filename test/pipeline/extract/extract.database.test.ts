import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { extract } from '../../../pipeline/extract/extract.ts'
import { stage } from '../../../pipeline/run/stage.ts'
import type { Reading } from '../../../pipeline/sources/contract/source.ts'
import type { Database } from '../../../sql/database.ts'
import { startSampleSourceA } from '../../harness/sample-source/a.ts'
import { startSampleSourceB } from '../../harness/sample-source/b.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import { failedRead } from './requests.ts'
import {
  ALL,
  extractOne,
  failureOf,
  NOTHING_OF_A,
  openRun,
  registrants,
  rowsOf,
  sendJson,
  sourceA,
  sourceB,
  testEnvironment,
} from './support.ts'
import { useServers } from './use-servers.ts'

const { start, closing } = useServers()

const skipOf = (path = '') => Number(new URL(path, 'http://a.example').searchParams.get('$skip'))

describe.each(engines)('extract on %s', (engine) => {
  const database = useDatabase(engine)

  /** Returns the counts and the checksum of an incoming table, computed by the database. */
  async function found({ incoming }: Reading) {
    const { rows } = await sql<Record<'elements' | 'faults' | 'checksum' | 'first' | 'last', string | null>>`
      select count(*)::text as elements, count(fault)::text as faults,
        coalesce(sum(row_check), 0)::text as checksum, min(ordinal)::text as first, max(ordinal)::text as last
      from ${sql.table(incoming)}`.execute(database().kysely)
    return rows[0]
  }

  test('each resource of Source A is written to its own table, with the right counts and checksum', async () => {
    const data = {
      Sessions: [{ Id: 1, Speakers: [{ Id: 9 }] }, { Id: 2 }, 'no object'],
      TimeSlots: [{ Id: 3, StartTime: '2031-05-04T09:00Z' }],
      Rooms: [{ Id: 4, Name: 'Blue' }, { Name: 'no id' }],
      Tracks: [],
      SessionTypes: [{ Id: 6, Name: 'Talk' }],
      Users: [{ Id: 9, EmailAddress: 'a@x' }, { EmailAddress: 'B@x' }, { Id: 9, EmailAddress: 'c@x' }],
    }
    const source = closing(await startSampleSourceA(data, { pageCap: 2 }))
    const readings = await extract(openRun(database(), sourceA(source.url), { content: ALL }))
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
    const rows = await Promise.all(readings.map((reading) => rowsOf(database(), reading)))
    expect(rows[0]).toEqual([
      { ordinal: 1, source_id: '1', fault_path: null, fault: null },
      { ordinal: 2, source_id: '2', fault_path: null, fault: null },
      { ordinal: 3, source_id: null, fault_path: '$', fault: 'not an object' },
    ])
    expect(rows[5]?.map((row) => row.source_id)).toEqual(['9', 'b@x', '9'])
  })

  test('columns, warnings and document are stored as they were read [R5]', async () => {
    const text = String.raw`[{"Id":99999999999999999,"FirstName":"a\tb\\N\u0000","LastName":"{\"x\",}\n","Company":"\\.","SpeakingAt":["b,\"","a\\"],"IsPending":true,"Order":1.0,"Roles":["Speaker"],"Facebook":"?"}]`
    const server = await start((request, response) => {
      response.end((request.url ?? '').endsWith('skip=0') ? text : '[]')
    })
    const { reading } = await extractOne(openRun(database(), sourceA(server.url)))
    const { rows } = await sql<Record<string, unknown>>`
      select source_id, id, first_name, last_name, company, speaking_at, is_pending, has_speaker_role, facebook_url,
        marks, doc, length(version_hash) as bytes
      from ${sql.table(reading.incoming)}`.execute(database().kysely)
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
        doc: expect.stringContaining('"Order":1.0'),
        bytes: 32,
      },
    ])
  })

  test('each resource of Source B is read once with one token, and each request names event, fields and page [spec 2.6 p1, spec 4.7, spec 4.8, spec 5.1.2, spec 9.2, R13, R14]', async () => {
    const environment = testEnvironment()
    const data = {
      sessions: [{ id: 1, name: 'x' }],
      registrants: registrants(1450),
      regTypes: [{ id: 20, name: 'Speaker' }],
    }
    const source = closing(await startSampleSourceB(data, { now: environment.now, itemsAs: 'object' }))
    const config = sourceB(source.url, { fields: { email: 'work_email' } })
    const readings = await extract(openRun(database(), config, { content: ALL, environment }))
    expect(
      readings.map(({ resource, totals, declared, endProof }) => [
        resource.name,
        totals.elements,
        declared,
        endProof,
      ]),
    ).toEqual([
      ['sessions', 1, 1, 'total met'],
      ['registrants', 1450, 1450, 'total met'],
      ['reg_types', 1, 1, 'total met'],
    ])
    for (const reading of readings) {
      expect((await found(reading))?.checksum).toBe(String(reading.totals.checksum))
    }
    const queries = source.requests
      .filter(({ method }) => method === 'GET')
      .map(({ path }) => new URL(path, source.url))
      .map(({ pathname, searchParams }) => [pathname, Object.fromEntries(searchParams)] as const)
    expect([queries.length, source.requests.length]).toEqual([4, 5])
    const common = { event_id: '77', page: '1', 'per-page': '1000' }
    const ofRegistrants =
      'id,first_name,last_name,work_email,job_title,company,bio,mobile_phone,twitter_handle,reg_type_id,session_ids,cancelled_at'
    expect(Object.fromEntries(queries)).toEqual({
      '/api/v1/sessions.json': { ...common, fields: 'id,name,description,date,start_time,end_time,timezone' },
      '/api/v1/registrants.json': { ...common, page: '2', fields: ofRegistrants },
      '/api/v1/reg-types.json': { ...common, fields: 'id,name' },
    })
  })

  test('after failed tries and a second reading, the table has the same rows as after a reading without faults', async () => {
    const list = Array.from({ length: 120 }, (_, index) => ({ Id: index + 1, Biography: 'x'.repeat(3000) }))
    const calm = closing(await startSampleSourceA({ ...NOTHING_OF_A, Users: list }, { pageCap: 50 }))
    const expected = await extractOne(openRun(database(), sourceA(calm.url)))
    const server = await start((request, response, number) => {
      const skip = skipOf(request.url)
      const text = JSON.stringify(list.slice(skip, skip + 50))
      if (number === 1 || number === 3) response.write(text.slice(0, 120_000), () => response.destroy())
      else if (number === 4) response.end(JSON.stringify(list.slice(0, 40)))
      else if (number === 6) sendJson(response, {}, 500)
      else response.end(text)
    })
    const { reading, rows } = await extractOne(openRun(database(), sourceA(server.url)))
    expect(reading).toMatchObject({
      certified: true,
      requests: 4,
      attempts: 10,
      totals: expected.reading.totals,
    })
    expect(await found(reading)).toEqual(await found(expected.reading))
    expect(rows).toEqual(expected.rows)
  })

  test('an id that is too long for an index is quarantined, and the longest accepted id can be staged', async () => {
    const longest = randomBytes(500).toString('hex')
    const Users = [{ Id: longest }, { Id: randomBytes(5000).toString('hex') }, { Id: 'é'.repeat(501) }]
    const source = closing(await startSampleSourceA({ ...NOTHING_OF_A, Users }))
    const run = openRun(database(), sourceA(source.url))
    const { reading, rows } = await extractOne(run)
    const tooLong = { source_id: null, fault_path: '$.Id', fault: 'the id is longer than 1000 bytes' }
    expect(rows).toMatchObject([{ source_id: longest, fault: null }, tooLong, tooLong])
    await expect(
      run.database.transaction((transaction) => stage(run, transaction, [reading])),
    ).resolves.toMatchObject({ staged: [{ newFaults: 2 }] })
  })

  test('a database error ends the run at once, without a retry, and is passed on unchanged', async () => {
    const list = Array.from({ length: 3000 }, (_, index) => ({ Id: index + 1, Biography: 'x'.repeat(3000) }))
    const source = closing(await startSampleSourceA({ ...NOTHING_OF_A, Users: list }))
    const environment = testEnvironment()
    const run = openRun(database(), sourceA(source.url), { environment })
    const copyInto: Database['copyInto'] = (table, columns) => {
      const sink = database().copyInto(table, columns)
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
    const error = await failureOf(extract({ ...run, database: { ...database(), copyInto } }))
    expect(error.message).toBe('disk full')
    expect(environment.sleeps).toEqual([])
    expect(source.requests).toHaveLength(1)
  })
})

describe('requests to a source', () => {
  const database = useDatabase('postgres')

  const paths = {
    'GET /api/v1/4242/Sessions': 'Speakers',
    'GET /api/v1/4242/TimeSlots': null,
    'GET /api/v1/4242/Rooms': null,
    'GET /api/v1/4242/Tracks': null,
    'GET /api/v1/4242/SessionTypes': null,
    'GET /api/v1/4242/Users': 'SpeakingAt',
  }
  const { 'GET /api/v1/4242/Users': ofUsers, ...ofAgenda } = paths
  const speakers = {
    'GET /api/v1/4242/Sessions': 'Speakers',
    'GET /api/v1/4242/SessionTypes': null,
    'GET /api/v1/4242/Users': ofUsers,
  }
  test.each<[readonly (typeof ALL)[number][], Readonly<Record<string, string | null>>]>([
    [['agenda'], ofAgenda],
    [['speakers'], speakers],
    [['attendees'], { 'GET /api/v1/4242/Users': ofUsers }],
    [ALL, paths],
  ])(
    'for %j, only the needed resources are requested, each once, sessions with speakers and users with sessions [spec 1.6, spec 2.2 p1, spec 2.3 p1, spec 2.4 p1, spec 4.1, spec 4.2, spec 4.3, spec 4.4, spec 4.5, spec 4.6, spec 4 p1, R8, R24]',
    async (content, expected) => {
      const source = closing(await startSampleSourceA(NOTHING_OF_A))
      await extract(openRun(database(), sourceA(source.url), { content }))
      const asked = source.requests.map(({ method, path }) => {
        const url = new URL(path, source.url)
        return [`${method} ${url.pathname}`, url.searchParams.get('$expand')]
      })
      expect(asked).toHaveLength(Object.keys(expected).length)
      expect(Object.fromEntries(asked)).toEqual(expected)
    },
  )

  test('all resources of a source are requested at the same time', async () => {
    const waiting: (() => void)[] = []
    const server = await start((_, response) => {
      waiting.push(() => sendJson(response, []))
      if (waiting.length === 6) for (const answer of waiting) answer()
    })
    expect(await extract(openRun(database(), sourceA(server.url), { content: ALL }))).toHaveLength(6)
  })

  test('each wait is reported with the page and the cause of the wait', async () => {
    const waits: unknown[] = []
    const server = await start((request, response, number) => {
      if (number === 2) sendJson(response, {}, 503, { 'Retry-After': '5' })
      else sendJson(response, [{ Id: 1 }, { Id: 2 }].slice(skipOf(request.url)))
    })
    const onWait = (...wait: readonly unknown[]) => void waits.push(wait)
    await extract(openRun(database(), sourceA(server.url), { onWait }))
    expect(waits).toEqual([['users, page 2', 'answered 503', 5000]])
  })
})

describe('a refused token of Source B', () => {
  const database = useDatabase('postgres')

  /**
   * Starts a server that refuses some tokens.
   *
   * @param admits returns true if the server accepts this Authorization header
   * @param answersTogether the server collects this number of refusals, then sends them at the same time
   */
  async function startRefusing(admits: (token: string) => boolean, answersTogether = 1) {
    const issued: string[] = []
    const refused: (() => void)[] = []
    const server = await start((request, response) => {
      if (request.method === 'POST') {
        const access_token = `canary${issued.push('token')}`
        sendJson(response, { access_token, type: 'bearer', expires_at: '2099-01-01 00:00:00' })
      } else if (admits(request.headers.authorization ?? '')) {
        sendJson(response, { items: [], _meta: { totalCount: 0 } })
      } else {
        refused.push(() => sendJson(response, { message: 'x' }, 401))
        if (refused.length >= answersTogether) for (const refuse of refused.splice(0)) refuse()
      }
    })
    return { url: server.url, issued }
  }

  test('if several requests find the token of Source B refused, one new token is requested for all of them [R12]', async () => {
    const { url, issued } = await startRefusing((token) => token !== 'Bearer canary1', 3)
    expect(await extract(openRun(database(), sourceB(url), { content: ALL }))).toHaveLength(3)
    expect(issued).toHaveLength(2)
  })

  test('if the second token of Source B is refused too, the run fails, and the error contains no token', async () => {
    const { url, issued } = await startRefusing(() => false)
    const error = await failedRead(extract(openRun(database(), sourceB(url))))
    expect(error.message).toBe(
      'registrants, page 1: answered 401: check the credentials in the configuration',
    )
    expect(issued).toHaveLength(2)
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('canary')
  })
})
