import { expect, test } from 'vitest'
import { startScriptedSource } from '../commands/scripted-source.ts'
import { integrationOfA, smallEvent } from '../commands/small-event.ts'
import { makeWorkspace } from '../commands/workspace.ts'
import { startReceiver } from './receiver.ts'

test('a webhook with `for` gets only the results of the listed integrations', async () => {
  const source = await startScriptedSource(smallEvent)
  const receiver = await startReceiver()
  const workspace = await makeWorkspace('postgres')
  workspace.configure({
    integrations: ['summit', 'expo'].map((id) => integrationOfA(id, source.url)),
    webhook: { url: receiver.url, on: ['finished'], for: ['expo'] },
  })
  expect((await workspace.run('run')).code).toBe(0)
  const told = receiver.received.map(({ body }) => JSON.parse(body))
  expect(told.map(({ integration, text }) => [integration, text.split('\n')[0]])).toEqual([
    ['expo', 'expo: everything landed'],
  ])
})
