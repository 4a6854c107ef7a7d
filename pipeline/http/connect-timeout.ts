import type { Socket } from 'node:net'

/** Code of the error by which a connection is given up: errors that wrap it keep it. */
export const CONNECT_TIMEOUT = 'CONNECT_TIMEOUT'

/** Gives up a connection that is not made in time. */
export function giveUpLate(socket: Socket, event: string, ms: number): Socket {
  const tooLate = Object.assign(new Error(`no connection in ${ms} ms`), { code: CONNECT_TIMEOUT })
  const timer = setTimeout(() => socket.destroy(tooLate), ms)
  for (const settled of [event, 'close']) socket.once(settled, () => clearTimeout(timer))
  return socket
}
