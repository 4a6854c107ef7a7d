import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type Served, serveConnection } from './connection.ts'
import { listen } from './listen.ts'

/** The address of this machine that other machines cannot reach. */
export const HOST = '127.0.0.1'

const MOST_CONNECTIONS = 50

/** A server to which clients of PostgreSQL connect. */
export interface WireServer {
  readonly port: number
  /** Ends all connections. A query that is being worked on ends first. */
  close(): Promise<void>
}

/**
 * Listens for clients of PostgreSQL on this machine.
 *
 * @param port 0: a free port
 * @throws UserError if the port cannot be used
 */
export async function listenForClients(port: number, served: Served): Promise<WireServer> {
  const connections = new Map<Socket, Promise<void>>()
  const server = createServer((socket) => {
    const done = serveConnection(socket, served).finally(() => connections.delete(socket))
    connections.set(socket, done)
  })
  server.maxConnections = MOST_CONNECTIONS
  return {
    port: await listen(server, port, HOST),
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of connections.keys()) socket.destroy()
      await Promise.all(connections.values())
      await closed
    },
  }
}
