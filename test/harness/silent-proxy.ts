import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A proxy in front of a server. The proxy can stop passing data on without closing its connections, like a
 * firewall that has lost its list of connections.
 */
export interface SilentProxy {
  readonly port: number
  silence(): void
  /** Stops passing on any data when a client sends this text; the server does not receive the text. */
  silenceAt(text: string): void
  /** Stops passing on data of a single connection when a client sends this text on that connection. */
  silenceOneAt(text: string): void
  close(): Promise<void>
}

export async function startSilentProxy(to: {
  readonly host: string
  readonly port: number
}): Promise<SilentProxy> {
  let isSilent = false
  let last: { readonly text: string; readonly isOfOne: boolean } | null = null
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => undefined)
    // From now on a new connection is accepted but never answered.
    if (isSilent) return
    const behind = connect(to.port, to.host)
    sockets.add(behind)
    behind.on('error', () => client.destroy())
    let isOneSilent = false
    const pass = (from: Socket, into: Socket) => {
      from.on('data', (bytes) => void (isSilent || isOneSilent || into.write(bytes)))
      from.on('close', () => void (isSilent || into.destroy()))
    }
    client.on('data', (bytes) => {
      if (last === null || !bytes.includes(last.text)) return
      if (last.isOfOne) isOneSilent = true
      else isSilent = true
    })
    pass(client, behind)
    pass(behind, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    silence() {
      isSilent = true
    },
    silenceAt(text) {
      last = { text, isOfOne: false }
    },
    silenceOneAt(text) {
      last = { text, isOfOne: true }
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
