import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'

/** Advice for a server that cannot listen, by the error code of the operating system. */
const ADVICE: Readonly<Record<string, (port: number) => string>> = {
  EADDRINUSE: () =>
    'another process listens there, perhaps a second one of event-sync; give another port with --port (0: any free one), or end that process',
  EACCES: (port) =>
    port < 1024
      ? 'only root may use ports below 1024; give a port from 1024 to 65535 with --port'
      : 'the system keeps this port for others; give another one with --port',
}

/**
 * Lets a server listen.
 *
 * @param port 0: a free port
 * @returns the port
 * @throws UserError that names the address, and says how to choose another one
 */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
    const todo = ADVICE[systemCodeOf(cause) ?? '']?.(port) ?? 'give an address of this machine with --host'
    throw new UserError('usage', `cannot listen on ${address}${describeCode(cause)}`, todo, { cause })
  }
  return (server.address() as AddressInfo).port
}
