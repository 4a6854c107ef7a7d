import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/**
 * An HTTP proxy on loopback. The proxy can reach host names that DNS does not know, because it maps host
 * names to local ports.
 */
export interface HttpProxyServer {
  readonly port: number
  /** Every request so far: `CONNECT source.example:443`, `GET http://source.example/`. */
  readonly requests: readonly string[]
  /** Returns the header `Proxy-Authorization` of the last request; null if the request had no such header. */
  readonly credentials: () => string | null
  /** Returns the number of connections that the proxy has accepted. */
  readonly connections: () => number
  close(): Promise<void>
}

export interface HttpProxyOptions {
  /**
   * Local port of each host: `source.example` -> 8080. Requests for other hosts are answered with status 502.
   */
  readonly ports?: Readonly<Record<string, number>>
  /** User name and password that the proxy requires, as `user:password`. */
  readonly demands?: string
  /** Status with which the proxy answers every request, if given. */
  readonly status?: number
  /**
   * `silent`: the proxy accepts connections and never answers. `ends`: the proxy accepts connections and
   * closes each of them.
   */
  readonly fault?: 'silent' | 'ends'
}

export async function startHttpProxy(options: HttpProxyOptions = {}): Promise<HttpProxyServer> {
  const { ports = {}, demands, status, fault } = options
  const requests: string[] = []
  const sockets = new Set<Socket>()
  let credentials: string | null = null
  let connections = 0

  /**
   * Returns the local port to which the proxy forwards a request, or the status with which it refuses the
   * request.
   */
  function routeOf(
    { method, url, headers }: IncomingMessage,
    host: string,
  ): { status: number; port: number } {
    requests.push(`${method} ${url}`)
    credentials = headers['proxy-authorization'] ?? null
    const expected = demands === undefined ? null : `Basic ${Buffer.from(demands).toString('base64')}`
    if (status !== undefined) return { status, port: 0 }
    if (expected !== null && expected !== credentials) return { status: 407, port: 0 }
    const port = ports[host]
    return port === undefined ? { status: 502, port: 0 } : { status: 200, port }
  }

  const server = createServer((request, response) => {
    const { hostname, pathname, search } = new URL(request.url ?? '')
    const route = routeOf(request, hostname)
    if (route.status !== 200) return void response.writeHead(route.status).end('canary of the proxy')
    const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = request.headers
    const way = {
      host: '127.0.0.1',
      port: route.port,
      path: pathname + search,
      method: request.method,
      headers,
    }
    const onward = ask(way, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const { hostname } = new URL(`http://${request.url}`)
    const route = routeOf(request, hostname)
    if (route.status !== 200) {
      const text = 'canary of the proxy'
      socket.end(`HTTP/1.1 ${route.status} No\r\nContent-Length: ${text.length}\r\n\r\n${text}`)
      return
    }
    const onward = connect(route.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.write(head)
      onward.pipe(socket)
      socket.pipe(onward)
    })
    sockets.add(onward)
    for (const end of [socket, onward]) end.on('error', () => undefined)
    socket.on('close', () => onward.destroy())
    onward.on('close', () => socket.destroy())
  })
  if (fault !== undefined) server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    if (fault === 'ends') socket.once('data', () => socket.end())
    if (fault === 'silent') socket.resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    credentials: () => credentials,
    connections: () => connections,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
