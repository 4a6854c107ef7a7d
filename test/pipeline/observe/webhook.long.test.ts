import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { RecordedRunOptions } from '../../../pipeline/run/recorded-run.ts'
import { usePlatforms } from '../../harness/sample-platform/use-platform.ts'
import { engines } from '../../support/engines.ts'
import { smallEvent } from '../commands/small-event.ts'
import { useSmallSync } from '../use-small-sync.ts'
import { type Received, type Receiver, startReceiver } from './receiver.ts'

describe.each(engines)('on %s', (engine) => {
  const { source, sync } = useSmallSync(engine)
  const platforms = usePlatforms()
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await startReceiver()
  })

  /** Runs the integration with a webhook that points to the receiver. */
  const run = (webhook: Readonly<Record<string, unknown>> = {}, options: Partial<RecordedRunOptions> = {}) =>
    sync(
      {
        integration: { removals: { minCount: 1 } },
        config: { webhook: { url: 'env:WEBHOOK', ...webhook } },
        variables: { WEBHOOK: `${receiver.url}/hooks/canary-path`, SECRET: 'canary-secret' },
      },
      options,
    )

  const leave = () => {
    source().records = { ...source().records, Users: smallEvent.Users?.slice(0, 1) ?? [] }
  }
  const fail = () => {
    source().script = async () => ({ status: 404, body: 'Ada u1@people.example' })
  }
  const bodies = () => receiver.received.map(({ body }) => JSON.parse(body))
  const deliveryFailed = (log: string) => log.split('\n').filter((line) => line.includes('"delivery failed"'))

  test('a held run sends a signed message with its guard, its plan and what to do; a successful run sends no message', async () => {
    expect((await run({ secret: 'env:SECRET' })).code).toBe(0)
    expect(receiver.received).toEqual([])
    leave()
    const { last, log } = await run({ secret: 'env:SECRET' })
    expect(bodies()).toEqual([
      {
        contract: '1.0',
        text: expect.stringMatching(
          /^summit: held by removals\. 3 of 4 attendees would disappear from the app\nWhy: .*\nNext: .*\nPage: \S+index\.html links to /,
        ),
        end: 'held',
        state: 'begun',
        at: '2031-05-04T12:00:00.000Z',
        integration: 'summit',
        run: last.run,
        status: 'held',
        exitCode: 4,
        meaning: 'held',
        guard: 'removals',
        detail: last.held?.detail,
        error: null,
        planHash: last.planHash,
        todo: expect.stringContaining(`event-sync apply summit ${last.planHash}`),
        output: last.output,
      },
    ])
    const { headers, body, path } = receiver.received[0] as Received
    expect(path).toBe('/hooks/canary-path')
    expect(headers['content-type']).toBe('application/json')
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', 'canary-secret').update(signed).digest('base64')}`,
    )
    expect(deliveryFailed(log)).toEqual([])
    expect(log).not.toContain('canary')
  })

  test('a failed run sends a message without text from the source; without a secret, the message is not signed', async () => {
    fail()
    const { last } = await run()
    const error = expect.stringContaining('answered 404')
    expect(bodies()).toMatchObject([{ end: 'failed', exitCode: 1, run: last.run, guard: null, error }])
    const [received] = receiver.received
    expect(received?.headers['webhook-signature']).toBeUndefined()
    expect(received?.body).not.toMatch(/Ada|people\.example/)
  })

  test('with `format: teams` the webhook gets an Adaptive Card', async () => {
    leave()
    await run({ on: ['finished', 'held'], format: 'teams' })
    const [card] = bodies()
    expect(card).toMatchObject({ type: 'message', attachments: [{ content: { type: 'AdaptiveCard' } }] })
  })

  test('the key `on` of a webhook selects which results send a message; the command plan never sends one', async () => {
    await run({ on: ['finished'] })
    expect(bodies()).toMatchObject([{ end: 'finished', exitCode: 0, status: 'finished' }])
    source().records = { ...source().records, Sessions: [...(smallEvent.Sessions ?? []), 'no record'] }
    await run({ on: ['incomplete'] })
    expect(bodies()).toMatchObject([{}, { end: 'incomplete', state: 'begun', exitCode: 3 }])
    leave()
    await run({}, { command: 'plan' })
    // A `jsonl` platform cannot be read back, so both runs are refused before they start.
    await expect(run({}, { command: 'plan', refresh: true })).rejects.toThrow('--refresh')
    expect(receiver.received).toHaveLength(2)
    await expect(run({}, { refresh: true })).rejects.toThrow('--refresh')
    expect(bodies()[2]).toMatchObject({ end: 'failed', state: 'changed', exitCode: 64, run: null })
  })

  test('the message contains the notes of the run, for example about records that seem to be gone but are kept', async () => {
    await run()
    const [first] = smallEvent.Sessions ?? []
    source().records = { ...source().records, Sessions: [first, { Title: 'of no id' }] }
    const { last } = await run({ on: ['incomplete'] })
    const note =
      '1 of the sessions is gone at the source and is kept, because 1 record that could be it has no readable id'
    expect(last.notes).toEqual([note])
    expect(bodies()).toMatchObject([{ end: 'incomplete', notes: [note] }])
  })

  test('after a 5xx answer, 429 or no answer, the message is sent again with the same id; after other answers it is not', async () => {
    fail()
    receiver.answers = [503, 'hang up', 429]
    const { code, log } = await run()
    expect(code).toBe(1)
    expect(receiver.received).toHaveLength(4)
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(deliveryFailed(log)).toEqual([])

    source().script = async () => null
    receiver.answers = [400]
    const refused = await run()
    expect(receiver.received).toHaveLength(5)
    expect(refused.code).toBe(0)
    expect(deliveryFailed(refused.log).join()).toContain(
      '"whom":"webhook","cause":"answered 400: check webhook.url"',
    )
  })

  test('a message that the webhook did not accept is sent again unchanged after the next run; an accepted message is not', async () => {
    fail()
    receiver.answers = [500, 500, 500, 500]
    const first = await run()
    expect(first.code).toBe(1)
    expect(deliveryFailed(first.log).join()).toContain('gave up after 4 tries')
    source().script = async () => null
    expect((await run()).code).toBe(0)
    // The receiver gets the message about the failure again, and then the message that the failure is over.
    expect(bodies()[4]).toEqual(bodies()[0])
    expect(bodies()[5]).toMatchObject({ end: 'finished', state: 'over' })
    expect((await run()).code).toBe(0)
    expect(receiver.received).toHaveLength(6)
  })

  test('if a run is continued and fails again, only one message is sent', async () => {
    const platform = await platforms.start({})
    await platform.control('faults', [{ fault: 'failBeforeCommit', count: 'always' }])
    const again = () => sync({ platform, config: { webhook: { url: receiver.url } } })
    const first = await again()
    const second = await again()
    expect([first.code, second.code]).toEqual([1, 1])
    expect(second.last.run).toBe(first.last.run)
    expect(bodies()).toMatchObject([{ end: 'failed', run: first.last.run }])
  })

  test('a webhook that never answers is given up after its timeout, and is not tried again', async () => {
    fail()
    receiver.answers = ['wait', 'wait', 'wait', 'wait', 'wait']
    const { code, log } = await run({ timeoutSeconds: 1 })
    expect(code).toBe(1)
    expect(receiver.received).toHaveLength(1)
    expect(deliveryFailed(log)).toEqual([expect.stringContaining('gave up after one try')])
  })
})
