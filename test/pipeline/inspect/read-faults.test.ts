import { describe, expect, test } from 'vitest'
import { HttpFault, type HttpFaultKind, ReadError } from '../../../pipeline/http/read-error.ts'
import { recordsOf, toReadFault } from '../../../pipeline/sources/contract/rule-result.ts'
import { SourceMovedError, UnprovedError } from '../../../pipeline/sources/contract/source.ts'
import { startScriptedSource } from '../commands/scripted-source.ts'
import { smallEvent } from '../commands/small-event.ts'
import { always, check, serve, sourceA, sourceB } from './check-one.ts'

describe('what a failed read means for the configuration', () => {
  const answered = (status: number, hint: string | null = null) =>
    new HttpFault(`answered ${status}`, { kind: 'status', status, hint })
  const noContact = (what: string, kind: HttpFaultKind, hint: string | null = null) =>
    new HttpFault(what, { kind, hint })
  test.each<[ReadError | UnprovedError, string, RegExp]>([
    [
      noContact('the connection failed (ENOTFOUND)', 'unknown host', 'check the host name in source.url'),
      'unreachable',
      /^check the host name in source.url$/,
    ],
    [noContact('no answer for 1 s', 'timeout'), 'unreachable', /firewall, proxy/],
    [noContact('the connection broke off', 'connection'), 'unreachable', /firewall, proxy/],
    [answered(503), 'unavailable', /later/],
    [answered(429), 'unavailable', /ten minutes/],
    [answered(301, 'check source.url'), 'elsewhere', /address that the redirect leads to/],
    [answered(404, 'check source.url'), 'not found', /source.eventId/],
    [answered(401, 'check the credentials'), 'refused', /allow it in the source account/],
    [new ReadError('an object where an array is due: "Message"'), 'no data', /address of the API/],
    [new ReadError('the answer is not JSON'), 'no data', /not a web page/],
    [
      new ReadError('the source returned more', { hint: 'check what it returns' }),
      'no data',
      /^check what it returns$/,
    ],
    [new SourceMovedError('the source changed during each of 3 readings: x'), 'no data', /^check again/],
    [
      new UnprovedError('its 40 records may be incomplete', 'check whether a proxy cuts its answers'),
      'not proved',
      /^check whether a proxy cuts its answers$/,
    ],
    [
      new UnprovedError('the answer has no count'),
      'not proved',
      /^check what the source answers.*`readToEnd`/,
    ],
  ])('%s: %s', (error, kind, todo) => {
    const fault = toReadFault(error)
    expect(fault).toMatchObject({ kind, message: error.what })
    expect(fault.todo).toMatch(todo)
  })

  test('if the retry budget was used up, the reported fault is the error that was retried', () => {
    const message = 'answered 503; waiting longer would exceed http.retryBudgetSeconds (1)'
    const fault = toReadFault(new ReadError(message, { cause: answered(503) }))
    expect(fault).toMatchObject({ kind: 'unavailable', status: 503, message: 'answered 503' })
  })

  test('an error that is not a failed read is thrown again', () => {
    const fault = new TypeError('a fault of ours')
    expect(() => toReadFault(fault)).toThrow(fault)
  })
})

test.each([
  [1, 'users', '1 user'],
  [8, 'reg_types', '8 registrant types'],
  [8, 'people', '8 records of people'],
  [1, 'categories', '1 record of categories'],
])('%d records of the resource %s are written with the right noun', (count, resource, text) => {
  expect(recordsOf(count, resource)).toBe(text)
})

describe('one cause fails one rule, and the rules that depend on it are not checkable', () => {
  const token = '{"access_token":"canary","type":"bearer","expires_at":"2099-01-01 00:00:00"}'
  const serveA = async (...answer: Parameters<typeof always>) => sourceA(await serve(always(...answer)))
  /** Starts a Source B with the given answers for its token and for its lists. */
  const serveB = async (tokenStatus: number, tokenBody: string, status: number, body: string) =>
    sourceB(
      await serve((request, response) => {
        const isToken = request.url?.includes('oauth2') === true
        response.writeHead(isToken ? tokenStatus : status, { 'Content-Type': 'application/json' })
        response.end(isToken ? tokenBody : body)
      }),
    )
  const nowhere = async () => sourceA('http://127.0.0.1:9')
  const noList = '{"Message":"canary","canary@people.example":1}'
  const NO_LIST = 'an object where an array is due: "Message", a key that is no plain name'

  // Port 9 belongs to the former discard service, so no process listens there.
  test.each<[string, () => Promise<Parameters<typeof check>[0]>, string, string, RegExp]>([
    [
      'A, where nothing listens',
      nowhere,
      'reachable',
      'the connection failed (ECONNREFUSED)',
      /host and port/,
    ],
    ['A, without the event', () => serveA(404, '{}'), 'event', 'answered 404', /source.eventId/],
    [
      'A, with an error in place of a list',
      () => serveA(200, noList),
      'event',
      NO_LIST,
      /address of the API/,
    ],
    ['A, refusing', () => serveA(403, '{}'), 'anonymous', 'refused: answered 403', /the Anonymous role/],
    [
      'B, refusing',
      () => serveB(401, '{}', 200, '[]'),
      'credentials',
      'refused: answered 401',
      /source.apiKey/,
    ],
    [
      'B, without a token',
      () => serveB(200, '{}', 200, '[]'),
      'reachable',
      'the answer holds no token',
      /API/,
    ],
    [
      'B, whose lists refuse the token',
      () => serveB(200, token, 401, '{}'),
      'credentials',
      'refused: answered 401',
      /source.apiKey/,
    ],
    ['B, without the event', () => serveB(200, token, 422, '[]'), 'event', 'answered 422', /source.eventId/],
  ])('one failed rule at Source %s', async (name, source, id, seen, todo) => {
    const checked = await check(await source())
    expect(checked.ids('failed')).toEqual([id])
    expect(checked.rule(id).seen).toBe(seen)
    expect(checked.rule(id).todo).toMatch(todo)
    const others = name.startsWith('A') ? ['users.EmailAddress'] : ['speakerType', 'registrants.email']
    for (const rule of [...others, 'speakers', 'timeZone']) {
      expect(checked.rule(rule)).toMatchObject({ status: 'not checkable', seen: `not read, see ${id}` })
    }
    expect(JSON.stringify(checked.results)).not.toContain('canary')
  })

  test('a missing secret fails with its reference, and no request is sent to the source', async () => {
    const asked: string[] = []
    const url = await serve((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    })
    const source = sourceB(url, { authenticationSecret: 'file:nosuch' })
    const checked = await check(source, {}, {})
    expect(checked.ids('failed')).toEqual(['credentials'])
    expect(checked.rule('credentials').seen).toBe(
      'source.apiKey: the secret env:API_KEY does not exist; source.authenticationSecret: the secret file:nosuch cannot be read (ENOENT: no such file or directory)',
    )
    expect(checked.rule('credentials').todo).toContain('set the environment variable API_KEY')
    expect(checked.rule('reachable').status).toBe('not checkable')
    expect(checked.rule('speakerType').seen).toBe('not read, see credentials')
    expect(asked).toEqual([])
  })
})

describe('a fault of one resource', () => {
  test('a fault of one resource does not stop the reading of other resources', async () => {
    const source = await startScriptedSource(smallEvent)
    source.script = async ({ resource }) => (resource === 'Users' ? { status: 403, body: '{}' } : null)
    const checked = await check(sourceA(source.url))
    expect(checked.ids('failed')).toEqual(['users'])
    expect(checked.rule('users')).toMatchObject({
      seen: 'answered 403',
      todo: 'allow the Anonymous role to read users',
    })
    expect(checked.rule('sessions.Title').status).toBe('ok')
    expect(checked.rule('users.EmailAddress').seen).toBe('not read, see users')
    expect(checked.rule('speakers').seen).toBe('not read, see users')
  })

  test('a temporary fault of one resource is retried, and no record counts twice', async () => {
    const source = await startScriptedSource(smallEvent)
    let faults = 2
    source.script = async ({ resource, skip }) => {
      if (resource !== 'Users' || skip === 0 || faults === 0) return null
      faults -= 1
      return faults === 1 ? { status: 503, body: '' } : { status: 200, body: '[{"Id":"u3"},{"Id":"u4"},{"Id' }
    }
    const checked = await check(sourceA(source.url))
    expect(checked.rule('users').seen).toBe('4 users, read to the end')
    expect(checked.rule('users.EmailAddress').seen).toBe('a value in 4 of 4 users')
    expect(faults).toBe(0)
  })

  test('a fault after the first answer of the source is retried longer than a fault before it', async () => {
    const checkWithFaultsOf = async (faulty: string) => {
      const source = await startScriptedSource(smallEvent)
      let faults = 6
      source.script = async ({ resource }) => {
        if (resource !== faulty || faults === 0) return null
        faults -= 1
        return { status: 503, body: '' }
      }
      return check(sourceA(source.url))
    }
    expect((await checkWithFaultsOf('TimeSlots')).ids('failed')).toEqual([])
    expect((await checkWithFaultsOf('Sessions')).rule('reachable').seen).toBe('answered 503')
  })

  test('if a source stops answering, the whole source fails, and its other resources are not requested', async () => {
    const source = await startScriptedSource(smallEvent)
    const asked = new Set<string>()
    source.script = async ({ resource }) => {
      asked.add(resource)
      return resource === 'TimeSlots' ? { status: 500, body: '' } : null
    }
    const checked = await check(sourceA(source.url))
    expect(checked.ids('failed')).toEqual(['reachable'])
    expect(checked.rule('sessions.Title').status).toBe('ok')
    expect(checked.rule('users').seen).toBe('not read, see reachable')
    expect([...asked]).toEqual(['Sessions', 'TimeSlots'])
  })
})
