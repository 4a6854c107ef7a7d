import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A proxy to a server that can fall silent, like a firewall that forgets its connections: it closes nothing.
 */
export interface SilentProxy {
  readonly port: number
  silence(): void
  /** Falls silent when a client sends this text; the server does not receive the text. */
  silenceAt(text: string): void
  /** Does the same, but only for the connection on which the text is sent. */
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
    // A new connection is accepted but never answered.
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
