import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { startReceiver } from './receiver.ts'
import { told, useUnsteady } from './unsteady-source.ts'

describe.each(engines)('on %s', (engine) => {
  const { source, whole, held, failed, good, runsWith } = useUnsteady(engine)

  test('a message about a held plan links to the status page, which still links to the plan that waits after later held runs', async () => {
    const receiver = await startReceiver()
    const run = runsWith({ webhook: { url: receiver.url } })
    await run(0)
    held()
    await run(1)
    source().records = { ...source().records, Users: whole.Users?.slice(0, 2) ?? [] }
    const { last } = await run(2)
    expect(told(receiver)).toEqual(['summit held begun'])
    const { text } = JSON.parse(receiver.received[0]?.body ?? '')
    const folder = dirname(dirname(dirname(last.page ?? '')))
    expect(text).toContain(`\nPage: ${join(folder, 'index.html')} links to the plan that waits`)
    expect(text).not.toContain('report.html')
  })

  test('with `finished`, every finished run is reported too; the command plan is never reported', async () => {
    const receiver = await startReceiver()
    const run = runsWith({ webhook: { url: receiver.url, on: ['held', 'finished'] } })
    await run(0)
    held()
    await run(1, { command: 'plan' })
    await run(2)
    good()
    await run(3, { command: 'plan' })
    await run(4)
    await run(5)
    expect(told(receiver)).toEqual([
      'summit finished ended',
      'summit held begun',
      'summit finished over',
      'summit finished ended',
    ])
  })

  test('a receiver that was down for over a day gets the present state, and no message about the end of a state that it did not know', async () => {
    const receiver = await startReceiver()
    const run = runsWith({ webhook: { url: receiver.url } })
    await run(-1)
    receiver.answers = [400, 400]
    held()
    await run(0)
    good()
    await run(1)
    await run(24.5)
    expect(told(receiver)).toEqual(['summit held begun', 'summit held begun'])
    receiver.answers = [400]
    failed()
    await run(50)
    await run(75)
    expect(told(receiver).slice(2)).toEqual(['summit failed begun', 'summit failed begun'])
    expect(receiver.received[3]?.body).not.toBe(receiver.received[2]?.body)
  })

  test('if the clock was set back by a day, one reminder is sent, and later messages keep their order', async () => {
    const receiver = await startReceiver()
    const run = runsWith({ webhook: { url: receiver.url } })
    await run(990)
    held()
    await run(1000)
    await run(999)
    expect(told(receiver)).toEqual(['summit held begun'])
    await run(0)
    await run(1)
    good()
    await run(2)
    await run(3)
    expect(told(receiver)).toEqual(['summit held begun', 'summit held lasting', 'summit finished over'])
  })
})
