import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'
import { type Served, serveConnection } from './connection.ts'

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
 * @throws UserError if the port is in use
 */
export async function listenForClients(port: number, served: Served): Promise<WireServer> {
  const connections = new Map<Socket, Promise<void>>()
  const server = createServer((socket) => {
    const done = serveConnection(socket, served).finally(() => connections.delete(socket))
    connections.set(socket, done)
  })
  server.maxConnections = MOST_CONNECTIONS
  server.listen(port, HOST)
  try {
    await once(server, 'listening')
  } catch (cause) {
    if (systemCodeOf(cause) !== 'EADDRINUSE') throw cause
    throw new UserError('usage', `port ${port} of this machine is in use`, 'give another one with --port', {
      cause,
    })
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of connections.keys()) socket.destroy()
      await Promise.all(connections.values())
      await closed
    },
  }
}
