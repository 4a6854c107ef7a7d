import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer, type Platform } from './answer.ts'
import type { Content } from './contract.ts'
import { type FaultOrder, makeArmedFaults } from './faults.ts'
import {
  type DanglingReference,
  danglingReferences,
  type Item,
  type LedgerEntry,
  openStore,
  type Store,
} from './store.ts'
import { isPassword } from './take-batch.ts'

export interface SamplePlatformOptions
  extends Partial<Pick<Platform, 'token' | 'eventId' | 'pageSize' | 'uniqueAddresses'>> {
  /** Folder for the whole state of the platform; created if the folder does not exist. */
  readonly storage: string
  /** Port of the server; default: a free port. */
  readonly port?: number
}

export const samplePlatformDefaults = {
  token: 'sample-platform-token',
  eventId: 'sample-event',
  pageSize: 100,
  uniqueAddresses: false,
} as const

type StoredItem = Pick<Item, 'fields'> & { readonly uniqueId: string }

/** Functions that only tests call on the platform; they are not part of the contract. */
export interface Controls {
  readonly ledger: () => { readonly ledger: readonly LedgerEntry[] }
  readonly state: () => { readonly items: Readonly<Record<Content, readonly StoredItem[]>> }
  readonly dangling: () => { readonly dangling: readonly DanglingReference[] }
  /** Returns all requests that the platform has received; `status` is null if no answer was sent. */
  readonly requests: () => { readonly requests: readonly RequestEntry[] }
  /** Replaces the armed faults. */
  readonly faults: (orders: FaultOrder | readonly FaultOrder[]) => object
  readonly password: (asked: { readonly uniqueId: string; readonly password: string }) => {
    readonly matches: boolean
  }
}

interface RequestEntry {
  /** Address of the sender, and time of arrival in milliseconds since 1970. */
  readonly from: string | null
  readonly atMs: number
  /** Time at which the connection was made. */
  readonly connectedMs: number
  readonly method: string
  readonly path: string
  readonly status: number | null
}

export interface SamplePlatform {
  /** Address of the platform without a slash at the end. */
  readonly url: string
  readonly token: string
  readonly eventId: string
  /**
   * Returns the block `platform` of event-sync.yaml; it refers to the token, an environment variable in
   * `env`.
   */
  config(batchSize: number): Readonly<Record<string, unknown>>
  readonly env: { readonly PLATFORM_TOKEN: string }
  control<Name extends keyof Controls>(
    name: Name,
    ...given: Parameters<Controls[Name]>
  ): Promise<ReturnType<Controls[Name]>>
  /** Resolves when the platform has stopped listening for any reason. */
  readonly gone: Promise<unknown>
  /**
   * Stops the platform. A platform that is started later with the same storage has all acknowledged changes.
   */
  close(): Promise<void>
}

/**
 * Starts a sample platform on loopback within this process. The platform loads its state from its storage.
 */
export async function startSamplePlatform(options: SamplePlatformOptions): Promise<SamplePlatform> {
  const store = openStore(options.storage)
  const faults = makeArmedFaults()
  const platform: Platform = { ...samplePlatformDefaults, ...options, store, faults }
  const requests: RequestEntry[] = []
  const connected = new WeakMap<object, number>()
  const server = createServer(async (incoming, response) => {
    const { method = 'GET', url: path = '/' } = incoming
    const { socket } = incoming
    const from = socket.remoteAddress ?? null
    const received = { from, atMs: Date.now(), connectedMs: connected.get(socket) ?? 0, method, path }
    const index = requests.push({ ...received, status: null }) - 1
    try {
      const reply = await respond(platform, incoming)
      if ('cut' in reply) {
        if (reply.cut === 'crash') end()
        response.destroy()
        return
      }
      requests[index] = { ...received, status: reply.status }
      send(response, reply)
    } catch (error) {
      response.destroy()
      // A sender may close the connection. Any other error is a defect of the sample platform and is printed.
      if (incoming.errored === null) console.error(error)
    }
  })
  server.on('connection', (socket) => connected.set(socket, Date.now()))
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const gone = once(server, 'close')
  function end(): void {
    server.close()
    server.closeAllConnections()
  }

  const { token, eventId } = platform
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const controls: Controls = {
    ledger: () => ({ ledger: store.ledger }),
    state: () => ({ items: itemsIn(store) }),
    dangling: () => ({ dangling: danglingReferences(store) }),
    requests: () => ({ requests }),
    faults(orders) {
      faults.arm([orders].flat())
      return {}
    },
    password: ({ uniqueId, password }) => ({
      matches: isPassword(password, store.item('attendees', uniqueId) ?? {}),
    }),
  }
  return {
    url,
    token,
    eventId,
    config: (batchSize) => ({ type: 'http', url, eventId, token: 'env:PLATFORM_TOKEN', batchSize }),
    env: { PLATFORM_TOKEN: token },
    // The result is copied through JSON, so that it does not change later and contains plain numbers.
    control: async (name, ...given) =>
      JSON.parse(JSON.stringify(Reflect.apply(controls[name], undefined, given))),
    gone,
    async close() {
      end()
      await gone
    },
  }
}

async function respond(platform: Platform, incoming: IncomingMessage): ReturnType<typeof answer> {
  const { method = 'GET', url: path = '/', headers, headersDistinct } = incoming
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  return answer(platform, {
    method,
    url: new URL(path, 'http://127.0.0.1'),
    authorization: headers.authorization,
    idempotencyKeys: headersDistinct['idempotency-key'] ?? [],
    body: Buffer.concat(chunks),
  })
}

function send(
  response: ServerResponse,
  reply: {
    readonly status: number
    readonly headers?: Readonly<Record<string, string>>
    readonly body: object
  },
): void {
  response.writeHead(reply.status, { 'Content-Type': 'application/json; charset=utf-8', ...reply.headers })
  response.end(JSON.stringify(reply.body))
}

function itemsIn(store: Store): ReturnType<Controls['state']>['items'] {
  const of = (content: Content) =>
    store.items(content).map(([uniqueId, { fields }]) => ({ uniqueId, fields }))
  return { agenda: of('agenda'), speakers: of('speakers'), attendees: of('attendees') }
}
