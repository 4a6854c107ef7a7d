import { afterEach } from 'vitest'
import { serve } from '../../harness/loopback.ts'

interface Closable {
  close(): Promise<void>
}

/** Starts servers, and closes them at the end of the test that started them. */
export function useServers() {
  const open: Closable[] = []
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close()
  })
  const closing = <Server extends Closable>(server: Server): Server => {
    open.push(server)
    return server
  }
  const start = async (answer: Parameters<typeof serve>[0]) => closing(await serve(answer))
  return {
    closing,
    start,
    /** Starts a server. `isClosed` returns true if the connection of the request was closed. */
    async startWatched(answer: Parameters<typeof serve>[0]) {
      let isClosed = false
      const { url } = await start((request, ...others) => {
        request.socket.on('close', () => {
          isClosed = true
        })
        answer(request, ...others)
      })
      return { url, isClosed: () => isClosed }
    },
  }
}
