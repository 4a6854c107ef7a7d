import { randomBytes } from 'node:crypto'
import type { SampleEvent, SampleRecord } from './sample-event.ts'
import { type SampleAnswer, type SampleServer, startSampleServer } from './sample-server.ts'

/**
 * Addresses and secrets with which the product reads the sample sources. The key and the secret contain
 * characters that need URL encoding, to show that this works.
 */
export const sampleSourceAccess = {
  a: { eventId: '4242' },
  b: { eventId: '77', apiKey: 'sample key/1', authenticationSecret: 'sample:secret+%2F' },
} as const

/** Relations that Source A returns as empty lists, except if `$expand` names them. */
const RELATIONS: Readonly<Record<string, string>> = { Sessions: 'Speakers', Users: 'SpeakingAt' }

/**
 * Starts a server with the part of Source A that the demo needs: records in a fixed order, the options `$top`
 * and `$skip`, and relations with `$expand`.
 *
 * @param records returns the records of the source at the time of a request
 */
export function startSampleSourceA(records: () => SampleEvent['a']): Promise<SampleServer> {
  return startSampleServer(({ url: { pathname, searchParams } }) => {
    const [, name = ''] = /^\/api\/v1\/4242\/(\w+)$/.exec(pathname) ?? []
    const list = new Map(Object.entries(records())).get(name)
    if (list === undefined) return [404, { Message: 'Not found.' }]
    const relation = RELATIONS[name]
    const isShown = relation === undefined || searchParams.get('$expand') === relation
    const skip = Number(searchParams.get('$skip'))
    const page = list.slice(skip, skip + Number(searchParams.get('$top') ?? list.length))
    return [200, isShown ? page : page.map((record) => ({ ...record, [relation]: [] }))]
  })
}

const TOKEN_MS = 30 * 60_000

const RESOURCES: Readonly<Record<string, keyof SampleEvent['b']>> = {
  '/api/v1/sessions.json': 'sessions',
  '/api/v1/registrants.json': 'registrants',
  '/api/v1/reg-types.json': 'regTypes',
}

/**
 * Starts a server with the part of Source B that the demo needs: a bearer token, and lists in pages. A
 * request chooses the fields, and can search for ids.
 *
 * @param records returns the records of the source at the time of a request
 */
export function startSampleSourceB(records: () => SampleEvent['b']): Promise<SampleServer> {
  const { eventId, apiKey, authenticationSecret } = sampleSourceAccess.b
  const pair = `${encodeURIComponent(apiKey)}:${encodeURIComponent(authenticationSecret)}`
  const basic = `Basic ${Buffer.from(pair).toString('base64')}`
  const token = randomBytes(24).toString('hex')

  return startSampleServer(({ url: { pathname, searchParams }, headers: { authorization } }) => {
    if (pathname === '/api/v1/oauth2/token.json') {
      const expires_at = new Date(Date.now() + TOKEN_MS).toISOString().slice(0, 19).replace('T', ' ')
      return authorization === basic
        ? [200, { access_token: token, type: 'bearer', expires_at }]
        : [401, { message: 'Your request was made with invalid credentials.' }]
    }
    if (authorization?.toLowerCase() !== `bearer ${token}`) return [401, { message: 'Invalid token.' }]
    const resource = RESOURCES[pathname]
    if (resource === undefined || searchParams.get('event_id') !== eventId)
      return [404, { message: 'Not found.' }]
    return [200, pageOf(records()[resource], searchParams)]
  })
}

function pageOf(records: readonly SampleRecord[], query: URLSearchParams): SampleAnswer[1] {
  const [, ids] = /^id=\*in\*(.+)$/.exec(query.get('search') ?? '') ?? []
  const wanted = ids?.split('|')
  const found = records.filter(({ id }) => wanted?.includes(String(id)) ?? true)
  const perPage = Number(query.get('per-page') ?? 20)
  const pageCount = Math.ceil(found.length / perPage)
  const currentPage = Math.max(1, Math.min(Number(query.get('page') ?? 1), pageCount))
  const fields = ['id', 'name', ...(query.get('fields') ?? '').split(',')]
  return {
    items: found
      .slice((currentPage - 1) * perPage, currentPage * perPage)
      .map((record) => Object.fromEntries(Object.entries(record).filter(([key]) => fields.includes(key)))),
    _meta: { totalCount: found.length, pageCount, currentPage, perPage },
  }
}
