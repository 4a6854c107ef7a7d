import { describe, expect, test } from 'vitest'
import { toReadFault } from '../../../pipeline/check/read-fault.ts'
import { ReadError } from '../../../pipeline/extract/read-error.ts'
import { startScriptedSource } from '../commands/scripted-source.ts'
import { smallEvent } from '../commands/small-event.ts'
import { always, check, serve, sourceA, sourceB } from './check-one.ts'

type Case = readonly [
  what: string,
  start: () => string | Promise<string>,
  id: string,
  seen: RegExp,
  todo: RegExp,
]

/** Nothing listens there: 9 is the port of a service that is long gone. */
const CLOSED = 'http://127.0.0.1:9'

describe('one cause is one failed rule, and the rest is not checkable because of it', () => {
  test.each([
    ['nothing listens', () => CLOSED, 'reachable', /ECONNREFUSED/, /host and port in source.url/],
    [
      'no such host',
      () => 'https://nosuch.invalid',
      'reachable',
      /ENOTFOUND|EAI_AGAIN/,
      /host name in source.url/,
    ],
    [
      'no TLS where https is asked for',
      async () => (await serve(always(200, '[]'))).replace('http:', 'https:'),
      'reachable',
      /EPROTO|SSL/,
      /https or http/,
    ],
    ['a server error', () => serve(always(503, '{}')), 'reachable', /^answered 503$/, /later/],
    ['too many requests', () => serve(always(429, '{}')), 'reachable', /^answered 429$/, /ten minutes/],
    [
      'a redirect to another host',
      () => serve(always(301, '', { Location: 'https://elsewhere.example/' })),
      'reachable',
      /^answered 301$/,
      /address that the redirect leads to/,
    ],
    [
      'an event that is not there',
      () => serve(always(404, '{}')),
      'event',
      /^answered 404$/,
      /source.eventId/,
    ],
    [
      'an error in place of a list',
      () => serve(always(200, '{"Message":"canary"}')),
      'event',
      /an object where an array is due: "Message"/,
      /address of the API/,
    ],
    ['a web page', () => serve(always(200, '<html>')), 'event', /not JSON/, /no web page/],
    [
      '401',
      () => serve(always(401, '{}')),
      'anonymous',
      /^refused: answered 401$/,
      /allow the Anonymous role/,
    ],
    [
      '403',
      () => serve(always(403, '{}')),
      'anonymous',
      /^refused: answered 403$/,
      /allow the Anonymous role/,
    ],
  ] as readonly Case[])('Source A: %s', async (_what, start, id, seen, todo) => {
    const checked = await check(sourceA(await start()))
    expect(checked.ids('failed')).toEqual([id])
    expect(checked.rule(id).seen).toMatch(seen)
    expect(checked.rule(id).todo).toMatch(todo)
    for (const field of ['sessions.Title', 'users.EmailAddress', 'timeZone', 'speakers']) {
      expect(checked.rule(field)).toMatchObject({ verdict: 'not checkable', seen: `not read, see ${id}` })
    }
  })

  test('a source that keeps silent is given up after http.timeoutSeconds, a few times', async () => {
    const url = await serve(() => undefined)
    const checked = await check(sourceA(url), { http: { timeoutSeconds: 1, retryBudgetSeconds: 0 } })
    expect(checked.ids('failed')).toEqual(['reachable'])
    expect(checked.rule('reachable').seen).toBe('no answer for 1 s')
    expect(checked.rule('reachable').todo).toMatch(/source.url/)
  })

  const token = '{"access_token":"canary","type":"bearer","expires_at":"2099-01-01 00:00:00"}'
  /** A Source B whose token and lists are answered as the test says. */
  const serveB = (tokenStatus: number, tokenBody: string, status: number, body: string) =>
    serve((request, response) => {
      const isToken = request.url?.includes('oauth2') === true
      response.writeHead(isToken ? tokenStatus : status, { 'Content-Type': 'application/json' })
      response.end(isToken ? tokenBody : body)
    })

  test.each([
    ['nothing listens', () => CLOSED, 'reachable', /ECONNREFUSED/, /host and port/],
    [
      'refused credentials',
      () => serveB(401, '{}', 200, '[]'),
      'credentials',
      /^refused: answered 401$/,
      /source.apiKey/,
    ],
    [
      'credentials of a wrong form',
      () => serveB(400, '{}', 200, '[]'),
      'credentials',
      /answered 400/,
      /source.apiKey/,
    ],
    [
      'no tokens at this address',
      () => serveB(404, '{}', 200, '[]'),
      'reachable',
      /answered 404/,
      /source.url/,
    ],
    [
      'no token in the answer',
      () => serveB(200, '{}', 200, '[]'),
      'reachable',
      /no token/,
      /address of the API/,
    ],
    [
      'a token that the lists refuse',
      () => serveB(200, token, 401, '{}'),
      'credentials',
      /answered 401/,
      /source.apiKey/,
    ],
    [
      'an event that is not there',
      () => serveB(200, token, 404, '{}'),
      'event',
      /answered 404/,
      /source.eventId/,
    ],
    [
      'an event id of a wrong form',
      () => serveB(200, token, 422, '[]'),
      'event',
      /answered 422/,
      /source.eventId/,
    ],
    ['a server error', () => serveB(200, token, 500, '{}'), 'reachable', /answered 500/, /later/],
  ] as readonly Case[])('Source B: %s', async (_what, start, id, seen, todo) => {
    const checked = await check(sourceB(await start()))
    expect(checked.ids('failed')).toEqual([id])
    expect(checked.rule(id).seen).toMatch(seen)
    expect(checked.rule(id).todo).toMatch(todo)
    for (const rule of ['speakerType', 'speakers', 'registrants.email', 'timeZone']) {
      expect(checked.rule(rule)).toMatchObject({ verdict: 'not checkable', seen: `not read, see ${id}` })
    }
  })

  test('a secret that is not there fails by its reference, and the source is not asked', async () => {
    const asked: string[] = []
    const url = await serve((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    })
    const source = sourceB(url, { authenticationSecret: 'file:nosuch' })
    const checked = await check(source, {}, {})
    expect(checked.ids('failed')).toEqual(['credentials'])
    expect(checked.rule('credentials').seen).toBe(
      'source.apiKey: the secret env:API_KEY is not there; source.authenticationSecret: the secret file:nosuch cannot be read (ENOENT)',
    )
    expect(checked.rule('credentials').todo).toContain('set the environment variable API_KEY')
    expect(checked.rule('reachable').verdict).toBe('not checkable')
    expect(checked.rule('speakerType').seen).toBe('not read, see credentials')
    expect(asked).toEqual([])
  })
})

describe('a fault of one resource', () => {
  test.each([
    ['refused', 403, /^answered 403$/, 'allow the Anonymous role to read users'],
    ['not there', 404, /^answered 404$/, 'check source.url and source.eventId'],
    ['no list', 200, /an object where an array is due/, 'check that source.url is the address of the API'],
  ] as const)('leaves the others to be read: %s', async (_what, status, seen, todo) => {
    const source = await startScriptedSource(smallEvent)
    source.script = async ({ resource }) =>
      resource === 'Users' ? { status, body: '{"Message":"canary"}' } : null
    const checked = await check(sourceA(source.url))
    expect(checked.ids('failed')).toEqual(['users'])
    expect(checked.rule('users').seen).toMatch(seen)
    expect(checked.rule('users').todo).toContain(todo)
    expect(checked.rule('sessions.Title').verdict).toBe('ok')
    expect(checked.rule('users.EmailAddress').seen).toBe('not read, see users')
    expect(checked.rule('speakers').seen).toBe('not read, see users')
  })

  test('that comes and goes is waited for, and nothing counts twice', async () => {
    const source = await startScriptedSource(smallEvent)
    let faults = 2
    source.script = async ({ resource, skip }) => {
      if (resource !== 'Users' || skip === 0 || faults === 0) return null
      faults -= 1
      return faults === 1 ? { status: 503, body: '' } : { status: 200, body: '[{"Id":"u3"},{"Id":"u4"},{"Id' }
    }
    const checked = await check(sourceA(source.url))
    expect(checked.rule('users').seen).toBe('4 users, to the end')
    expect(checked.rule('users.EmailAddress').seen).toBe('a value in 4 of 4 users')
    expect(faults).toBe(0)
  })

  test('is waited for longer once the source has answered than before', async () => {
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

  test('a source that answers no more fails as a whole, and is not asked for the rest', async () => {
    const source = await startScriptedSource(smallEvent)
    const asked = new Set<string>()
    source.script = async ({ resource }) => {
      asked.add(resource)
      return resource === 'TimeSlots' ? { status: 500, body: '' } : null
    }
    const checked = await check(sourceA(source.url))
    expect(checked.ids('failed')).toEqual(['reachable'])
    expect(checked.rule('sessions.Title').verdict).toBe('ok')
    expect(checked.rule('users').seen).toBe('not read, see reachable')
    expect([...asked]).toEqual(['Sessions', 'TimeSlots'])
  })

  test('a source that moves in every reading fails its resource', async () => {
    const source = await startScriptedSource(smallEvent)
    let id = 0
    source.script = async ({ resource }) => {
      if (resource !== 'Users') return null
      id += 1
      return { status: 200, body: JSON.stringify([{ Id: id }, { Id: `${id}b` }]) }
    }
    const checked = await check(sourceA(source.url))
    expect(checked.rule('users').verdict).toBe('failed')
    expect(checked.rule('users').seen).toMatch(/^the source moved in each of 3 readings: /)
    expect(checked.rule('users').todo).toMatch(/check again/)
  })
})

test('no text of a source reaches a finding', async () => {
  const url = await serve(always(200, '{"Message":"canary","canary@people.example":1}'))
  const { findings } = await check(sourceA(url))
  expect(JSON.stringify(findings)).not.toContain('canary')
})

test('a certificate that is not trusted says where a private authority is named', () => {
  const message = 'the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): check source.url'
  const fault = toReadFault(new ReadError(message, { retryable: false }))
  expect(fault).toMatchObject({
    kind: 'unreachable',
    message: 'the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
  })
  expect(fault.todo).toContain('http.caFile')
})

test('what is no failed read is not taken for one', () => {
  const fault = new TypeError('a fault of ours')
  expect(() => toReadFault(fault)).toThrow(fault)
})
