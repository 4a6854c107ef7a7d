import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { deliver } from './deliver.ts'
import { CANARY, PATHS, type SourceType, type State } from './event.ts'
import type { Fault } from './fault.ts'
import { honestReply, PAGE_CAP } from './honest.ts'
import { type Asked, jsonReply, placeOf, type Reply } from './reply.ts'
import { expectedAt, TOKEN } from './table.ts'

/** A fault, the place where it is played, and the page from which on. */
export interface Cast {
  readonly fault: Fault
  readonly place: string
  readonly fromPage: number
}

/** A source on loopback that has a state and plays faults. */
export interface FaultServer {
  readonly url: string
  state: State
  casts: readonly Cast[]
  /** The clock of the run. */
  nowMs: () => number
  /** How often a fault was played. */
  playsOf(cast: Cast): number
  /** Requests that went where none may go. */
  readonly strayed: readonly string[]
  /** Listens again, where nobody listens any more. */
  comeBack(): Promise<void>
  /** Forgets what was played, for the next run. */
  reset(state: State, casts: readonly Cast[]): void
  close(): Promise<void>
}

/** Key and secret that Source B takes; both need URL encoding. */
export const credentials = {
  apiKey: `${CANARY}-key/+ 1`,
  authenticationSecret: `${CANARY}-secret:=%2F`,
} as const

const BASIC = Buffer.from(
  `${encodeURIComponent(credentials.apiKey)}:${encodeURIComponent(credentials.authenticationSecret)}`,
).toString('base64')

/** Below this the source lives; what is beside it is none of the reader's business. */
const ROOT = '/event'

/** A tenth of it is shorter than any time-out of the table. */
const LONGEST_WAIT_MS = 1000

/** Starts a source, and beside it another host that only counts who comes. */
export async function startFaultServer(type: SourceType): Promise<FaultServer> {
  const plays = new Map<Cast, number>()
  const strayed: string[] = []
  const revoked = new Set<string>()
  const elsewhere = createServer((request, response) => {
    strayed.push(`another host: ${request.url}`)
    response.end('[]')
  })
  const elsewherePort = await listen(elsewhere, 0)
  let tokens = 0

  const server = createServer((request, response) => {
    const { reply, cast } = replyTo(request)
    response.once('close', () => {
      // Whoever gave up before the first byte has not met the fault.
      if (cast?.fault.plays === 'once' && reply.delivery === 'whole' && !response.headersSent)
        plays.delete(cast)
    })
    void untilAllAreOn(cast).then(() => deliver(response, reply, goAway))
  })
  const port = await listen(server, 0)
  const names = new Map(
    Object.entries(PATHS[type]).map(([name, path]) => [`${rootOf(type)}${path}`, name] as const),
  )

  function goAway(): void {
    server.close()
    server.closeAllConnections()
  }

  function replyTo(request: IncomingMessage): { readonly reply: Reply; readonly cast?: Cast } {
    const url = new URL(request.url ?? '/', self.url)
    const isToken = type === 'b' && url.pathname === `${ROOT}/api/v1/oauth2/token.json`
    const resource = isToken ? TOKEN : names.get(url.pathname)
    if (resource === undefined) {
      strayed.push(url.pathname)
      return { reply: jsonReply({ Message: 'not found' }, 404) }
    }
    const here = self.casts.filter(({ place }) => place === resource)
    const list = self.state[resource] ?? []
    const asked: Asked = {
      type,
      resource,
      url,
      page: 1,
      cap: PAGE_CAP,
      list: here.reduce((records, { fault }) => fault.records?.(records, type) ?? records, list),
      plays: 0,
      outside: `http://127.0.0.1:${elsewherePort}`,
      nowMs: self.nowMs(),
    }
    const page = isToken ? 1 : type === 'b' ? placeOf(asked) : 1 + Math.ceil(placeOf(asked) / (PAGE_CAP - 1))
    const honest = isToken ? tokenReply(request) : authorized(request) ? honestReply(asked) : refused()
    const cast = here.find(
      (each) => page >= each.fromPage && (each.fault.plays === 'always' || !plays.has(each)),
    )
    if (cast === undefined) return { reply: honest }
    const played = plays.get(cast) ?? 0
    plays.set(cast, played + 1)
    const reply = cast.fault.play(honest, { ...asked, page, plays: played })
    // A token that was refused once stays refused: only another one helps.
    if (reply.status === 401) revoked.add(request.headers.authorization ?? '')
    return { reply, cast }
  }

  /** The first fault that fails a run ends it, so it waits a moment until the others have been played too. */
  async function untilAllAreOn(cast: Cast | undefined): Promise<void> {
    if (cast === undefined || cast.place === TOKEN || expectedAt(cast.fault, type, cast.place) !== 'failed')
      return
    const isPressed = self.casts.some(({ fault }) => fault.http.timeoutSeconds !== undefined)
    const untilMs = performance.now() + (isPressed ? LONGEST_WAIT_MS / 10 : LONGEST_WAIT_MS)
    while (self.casts.some((each) => !plays.has(each)) && performance.now() < untilMs) await sleep(5)
  }

  function authorized({ headers }: IncomingMessage): boolean {
    const { authorization = '' } = headers
    return type === 'a' || (!revoked.has(authorization) && /^Bearer canary-token-\d+$/.test(authorization))
  }

  function tokenReply({ headers, method }: IncomingMessage): Reply {
    if (method !== 'POST' || headers.authorization !== `Basic ${BASIC}`) return refused()
    tokens += 1
    const access_token = `${CANARY}-token-${tokens}`
    return jsonReply({ access_token, type: 'bearer', expires_at: '2099-01-01 00:00:00' })
  }

  const self: FaultServer = {
    url: `http://127.0.0.1:${port}${ROOT}`,
    state: {},
    casts: [],
    nowMs: () => 0,
    playsOf: (cast) => plays.get(cast) ?? 0,
    strayed,
    async comeBack() {
      if (!server.listening) await listen(server, port)
    },
    reset(state, casts) {
      plays.clear()
      revoked.clear()
      self.state = state
      self.casts = casts
    },
    async close() {
      for (const each of [server, elsewhere]) {
        each.close()
        each.closeAllConnections()
      }
    },
  }
  return self
}

function rootOf(type: SourceType): string {
  return type === 'a' ? `${ROOT}/api/v1/4242/` : `${ROOT}/api/v1/`
}

function refused(): Reply {
  return jsonReply({ message: `Your request was made with invalid credentials, ${CANARY}.` }, 401)
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
