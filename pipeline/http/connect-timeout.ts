import type { Socket } from 'node:net'

/** Error code for a connection that takes too long. An error that wraps this error has the same code. */
export const CONNECT_TIMEOUT = 'CONNECT_TIMEOUT'

/** Destroys a socket if it does not connect within the time limit. */
export function giveUpLate(socket: Socket, event: string, ms: number): Socket {
  const tooLate = Object.assign(new Error(`no connection in ${ms} ms`), { code: CONNECT_TIMEOUT })
  const timer = setTimeout(() => socket.destroy(tooLate), ms)
  for (const settled of [event, 'close']) socket.once(settled, () => clearTimeout(timer))
  return socket
}
