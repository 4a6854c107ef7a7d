import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../../../pipeline/serve/listen.ts'

const HOST = '127.0.0.1'

function makeServer(): Server {
  const server = createServer()
  onTestFinished(() => void server.close())
  return server
}

/** Makes a server whose port the operating system refuses. */
function refusing(code: string): Server {
  const server = makeServer()
  vi.spyOn(server, 'listen').mockImplementation(() => {
    setImmediate(() => server.emit('error', Object.assign(new Error(code), { code })))
    return server
  })
  return server
}

test('if a port is in use, the error names the address and says how to choose another one', async () => {
  const port = await listen(makeServer(), 0, HOST)
  await expect(listen(makeServer(), port, HOST)).rejects.toMatchObject({
    code: 'usage',
    what: `cannot listen on ${HOST}:${port} (EADDRINUSE: address already in use)`,
    todo: expect.stringContaining('give another port with --port'),
  })
})

test.each([
  [80, 'EACCES', HOST, '127.0.0.1:80 (EACCES: permission denied)', 'from 1024 to 65535 with --port'],
  [8080, 'EACCES', '::1', '[::1]:8080 (EACCES: permission denied)', 'give another one with --port'],
  [
    8080,
    'EADDRNOTAVAIL',
    '192.0.2.1',
    '192.0.2.1:8080 (EADDRNOTAVAIL: ',
    'an address of this machine with --host',
  ],
  [8080, 'ENOTFOUND', 'nowhere.example', 'nowhere.example:8080', 'an address of this machine with --host'],
])('if port %i is refused with %s at %s, the error says what to do', async (port, code, host, what, todo) => {
  await expect(listen(refusing(code), port, host)).rejects.toMatchObject({
    code: 'usage',
    what: expect.stringContaining(`cannot listen on ${what}`),
    todo: expect.stringContaining(todo),
  })
})

test('the port is the one that the system chose', async () => {
  const server = makeServer()
  const port = await listen(server, 0, HOST)
  expect(server.address()).toMatchObject({ port })
  server.close()
  await once(server, 'close')
})
