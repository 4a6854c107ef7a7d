import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSamplePlatform } from '../harness/sample-platform/start.ts'
import { startScriptedSource } from './commands/scripted-source.ts'
import { integrationOfA, smallEvent } from './commands/small-event.ts'
import { makeWorkspace } from './commands/workspace.ts'
import { startReceiver } from './observe/receiver.ts'

/** Records every connection that this process opens, each with its target port. */
function watchConnections(): readonly { readonly port: number; readonly socket: Socket }[] {
  const made: { readonly port: number; readonly socket: Socket }[] = []
  const watch = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket }
    socket.once('connect', () => made.push({ port: socket.remotePort ?? 0, socket }))
  }
  subscribe('net.client.socket', watch)
  onTestFinished(() => void unsubscribe('net.client.socket', watch))
  return made
}

test('check and run use one connection to the platform, or two if a run first asks for the fence number, and close all connections', async () => {
  const workspace = await makeWorkspace('postgres')
  const source = await startScriptedSource(smallEvent)
  const receiver = await startReceiver()
  const { url, eventId, token, close } = await startSamplePlatform({
    storage: join(workspace.folder, 'platform'),
  })
  onTestFinished(close)
  workspace.env.TOKEN = token
  const platform = { type: 'http', url, eventId, token: 'env:TOKEN', batchSize: 2 }
  workspace.configure({
    integrations: [integrationOfA('summit', source.url, { platform, passwords: { mode: 'none' } })],
    webhook: { url: receiver.url, on: ['finished'] },
  })
  const portOf = (address: string) => Number(new URL(address).port)
  for (const [command, connections, messages] of [
    ['check', 1, 0],
    ['run', 1, 1],
    ['run', 2, 1],
  ] as const) {
    const made = watchConnections()
    const { code, stdout } = await workspace.run(command)
    expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
    const to = (address: string) => made.filter(({ port }) => port === portOf(address))
    expect(to(source.url).length).toBeGreaterThan(0)
    expect([command, to(url).length, to(receiver.url).length]).toEqual([command, connections, messages])
    // Connections to the database are not counted, because the driver manages them.
    const left = [source.url, url, receiver.url].flatMap(to).filter(({ socket }) => !socket.destroyed)
    expect(left.length).toBe(0)
  }
})
