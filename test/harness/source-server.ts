import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Loopback, serve } from './loopback.ts'
import { deliver, jsonReply, type Reply, textReply } from './reply.ts'
import { answerA, answerB, type Held, idsAskedFor, type WireA, type WireB } from './source-answers.ts'

/**
 * A word that every secret or personal value of these tests contains. The word must not occur in any output
 * of the product.
 */
export const CANARY = 'canary'
/** Key and secret that Source B accepts. Key and secret contain characters that need URL encoding. */
export const API_KEY = `${CANARY}-key:of/B+ 1`
export const AUTHENTICATION_SECRET = `${CANARY}-sécret:=&+%2F`
export const EVENT_ID = '4242'

/** The name under which Source B's token endpoint is listed with its resources. */
export const TOKEN = 'token'

/** The records that the server sends, by resource. */
export type Served =
  | { readonly type: 'a'; readonly resources: Readonly<Record<string, Held<WireA>>> }
  | { readonly type: 'b'; readonly resources: Readonly<Record<string, Held<WireB>>> }

/** A request for a page of a resource, or for a token. */
export interface Asked {
  /**
   * The resource's name as in the path, for example `TimeSlots` or `reg-types`; `TOKEN` for a request for a
   * token.
   */
  readonly resource: string
  readonly url: URL
  readonly response: ServerResponse
  /** The answer that a source without faults would send. */
  readonly honest: Reply
}

export type Play = (asked: Asked) => Reply | Promise<Reply>

export interface SourceServer extends Pick<Loopback, 'requests' | 'goAway' | 'comeBack' | 'close'> {
  /** Base URL of the source; a reader must not request anything outside it. */
  readonly url: string
  /** Paths of requests to addresses that the source does not have. */
  readonly strayed: string[]
  /** Clock by which tokens expire. */
  now: () => number
  /**
   * @param play a function that can replace each answer. Tokens that were refused before are accepted again
   */
  serve(held: Served, play?: Play): void
}

const ROOT = '/event/api/v1/'
const TOKEN_MS = 1_800_000

/**
 * Starts a Source A or a Source B on loopback. The answers of the server follow only the documentation of the
 * sources, not the product's code.
 */
export async function startSource(now: () => number = Date.now): Promise<SourceServer> {
  let held: Served = { type: 'a', resources: {} }
  let play: Play = ({ honest }) => honest
  let tokens = 0
  const refused = new Set<string>()
  const loopback = await serve((request, response) => {
    replyTo(request, response)
      .catch((error: unknown) => textReply(String(error), 500))
      .then(async (reply) => {
        // If the connection was closed meanwhile, the answer must not stop a server that listens again.
        if (!response.destroyed) await deliver(response, reply, loopback.goAway)
      })
  })

  async function replyTo(request: IncomingMessage, response: ServerResponse): Promise<Reply> {
    const url = new URL(request.url ?? '', loopback.url)
    const resource = resourceAt(url.pathname)
    if (resource === undefined) {
      self.strayed.push(url.pathname)
      return jsonReply({ Message: 'not found' }, 404)
    }
    const honest = await honestReply(request, url, resource)
    const reply = await play({ resource, url, response, honest })
    // A token that was refused once is refused from now on, so the reader must request a new token.
    if (reply.status === 401) refused.add(request.headers.authorization ?? '')
    return reply
  }

  function resourceAt(path: string): string | undefined {
    const root = held.type === 'a' ? `${ROOT}${EVENT_ID}/` : ROOT
    if (held.type === 'b' && path === `${ROOT}oauth2/token.json`) return TOKEN
    const paths = Object.keys(held.resources).map((name) => [held.type === 'a' ? name : `${name}.json`, name])
    return paths.find(([last]) => path === `${root}${last}`)?.[1]
  }

  async function honestReply(request: IncomingMessage, url: URL, resource: string): Promise<Reply> {
    if (held.type === 'a') {
      const list = held.resources[resource]
      return list === undefined ? invalid() : textReply(answerA(url, resource, list))
    }
    if (resource === TOKEN) return issue(request)
    const { authorization = '' } = request.headers
    const list = held.resources[resource]
    if (list === undefined || refused.has(authorization)) return invalid()
    if (!/^Bearer canary-token-\d+$/i.test(authorization)) return invalid()
    if (url.searchParams.get('event_id') !== EVENT_ID) return jsonReply({ message: 'no' }, 404)
    if (list.wire.ids === 'refused' && idsAskedFor(url) !== null) return jsonReply({ message: 'no' }, 400)
    return textReply(answerB(url, list))
  }

  async function issue(request: IncomingMessage): Promise<Reply> {
    let form = ''
    for await (const chunk of request) form += String(chunk)
    const isForm = new URLSearchParams(form).get('grant_type') === 'client_credentials'
    if (request.method !== 'POST' || request.headers.authorization !== BASIC || !isForm) return invalid()
    tokens += 1
    const expires_at = new Date(self.now() + TOKEN_MS).toISOString().slice(0, 19).replace('T', ' ')
    return jsonReply({ access_token: `${CANARY}-token-${tokens}`, type: 'bearer', expires_at })
  }

  const self: SourceServer = {
    ...loopback,
    url: `${loopback.url}/event`,
    strayed: [],
    now,
    serve(next, nextPlay = ({ honest }) => honest) {
      held = next
      play = nextPlay
      refused.clear()
    },
  }
  return self
}

const PAIR = `${encodeURIComponent(API_KEY)}:${encodeURIComponent(AUTHENTICATION_SECRET)}`
const BASIC = `Basic ${Buffer.from(PAIR).toString('base64')}`

function invalid(): Reply {
  return jsonReply({ message: `Your request was made with invalid credentials, ${CANARY}.` }, 401)
}
