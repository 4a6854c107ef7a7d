import type { Socket } from 'node:net'

/** Code of the error if a connection takes too long. Errors that wrap this error keep the code. */
export const CONNECT_TIMEOUT = 'CONNECT_TIMEOUT'

/** Destroys a socket that does not connect in time. */
export function giveUpLate(socket: Socket, event: string, ms: number): Socket {
  const tooLate = Object.assign(new Error(`no connection in ${ms} ms`), { code: CONNECT_TIMEOUT })
  const timer = setTimeout(() => socket.destroy(tooLate), ms)
  for (const settled of [event, 'close']) socket.once(settled, () => clearTimeout(timer))
  return socket
}
