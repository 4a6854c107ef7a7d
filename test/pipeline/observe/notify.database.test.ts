import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { keepAction } from '../../../loaders/ledger/actions.ts'
import { readMail, startSmtpServer } from '../../harness/smtp-server.ts'
import { engines } from '../../support/engines.ts'
import { runId } from '../../support/staged.ts'
import { startScriptedSource } from '../commands/scripted-source.ts'
import { integrationOfA, smallEvent } from '../commands/small-event.ts'
import { makeWorkspace } from '../commands/workspace.ts'
import { TEST_START_MS } from '../extract/support.ts'
import { startSlack, startTeams } from './chats.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { told, useUnsteady } from './unsteady-source.ts'

const PASSWORD = 'canary-password'

const headings = ({ received }: Receiver) =>
  received.map(({ body }) => String(JSON.parse(body).text).split(/\. |\n/)[0])

async function startSmtp() {
  const server = await startSmtpServer({ user: 'sync', password: PASSWORD })
  onTestFinished(() => server.close())
  return server
}

const mailOf = {
  mail: { smtp: 'env:SMTP', from: 'sync@organiser.example', to: ['team@organiser.example'] },
}

describe.each(engines)('on %s', (engine) => {
  const { database, source, whole, held, failed, good, runsWith } = useUnsteady(engine)

  test('a message about a state (such as held) is sent when it begins, changes, has lasted another day or is over', async () => {
    const receiver = await startSlack()
    const run = runsWith({ webhook: { url: receiver.url } })
    await run(0)
    expect(told(receiver)).toEqual([])
    held()
    await run(1)
    // Another plan is held. A second held run with another plan does not change the state of the integration.
    source().records = { ...source().records, Users: whole.Users?.slice(0, 2) ?? [] }
    await run(2)
    await run(24.5)
    expect(told(receiver)).toEqual(['summit held begun'])
    await run(25)
    await run(26)
    failed()
    await run(27)
    await run(28)
    good()
    await run(29)
    await run(30)
    expect(told(receiver)).toEqual([
      'summit held begun',
      'summit held lasting',
      'summit failed changed',
      'summit finished over',
    ])
    expect(headings(receiver)).toEqual([
      'summit: held by removals',
      'summit: still held by removals',
      'summit: failed (before: held)',
      'summit is up to date again',
    ])
    expect(JSON.stringify(receiver.received)).not.toMatch(/Ada|people\.example/)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(4)
    held()
    await run(31)
    expect(told(receiver).at(-1)).toBe('summit held begun')
  })

  test('the example message in the README has the keys of a real message, and null for the same keys', async () => {
    const receiver = await startReceiver()
    const run = runsWith({ webhook: { url: receiver.url } })
    await run(0)
    held()
    await run(1)
    const readme = readFileSync('pipeline/observe/README.md', 'utf8')
    const example = JSON.parse(
      /A message to a webhook is a POST request:\n\n```json\n(.*?)```/s.exec(readme)?.[1] ?? '',
    )
    const message = JSON.parse(receiver.received[0]?.body ?? '')
    const isNull = (facts: object) => Object.entries(facts).map(([key, value]) => [key, value === null])
    expect(isNull(example)).toEqual(isNull(message))
    expect([example.end, example.state, example.status, example.meaning]).toEqual([
      message.end,
      message.state,
      message.status,
      message.meaning,
    ])
    expect(example.todo).toBe(message.todo.replace(message.run, '…').replace(message.planHash, '…'))
    const beginnings = (text: string) => text.split('\n').map((line) => line.split(' ')[0])
    expect(beginnings(example.text)).toEqual(beginnings(message.text))
  })

  test('during a pause, a run sends a message only if it fails; the failure is over as soon as a run lands', async () => {
    const receiver = await startReceiver()
    const run = runsWith({ webhook: { url: receiver.url, on: ['held', 'failed', 'finished'] } })
    const act = (number: number, action: 'paused' | 'resumed') =>
      keepAction(database().kysely, 'summit', {
        ...{ actionId: runId(number), action, madeAt: new Date(TEST_START_MS).toISOString(), madeBy: 'ana' },
        ...{ until: null, reason: 'rooms move', runId: null, detail: null },
      })
    await run(0)
    held()
    await run(1)
    await act(1, 'paused')
    await run(2)
    good()
    const { last, log } = await run(3)
    expect(last).toMatchObject({ status: 'planned', pinned: { reason: 'rooms move' } })
    expect(log).toMatch(
      /"meaning":"pinned: nothing was sent".*"pinned":\{"since":"[^"]+","until":null,"reason":"rooms move"/,
    )
    failed()
    await run(4)
    held()
    await run(5)
    expect(told(receiver)).toEqual(['summit finished ended', 'summit held begun', 'summit failed changed'])
    await act(2, 'resumed')
    good()
    await run(6)
    expect(told(receiver).slice(3)).toEqual(['summit finished over'])
  })

  test('if one receiver is down, the other receivers still get their messages; this receiver gets its messages in order when it is back', async () => {
    const [down, up] = [await startReceiver(), await startTeams()]
    const webhook = [{ url: down.url }, { url: 'env:TEAMS', format: 'teams' }]
    const smtp = await startSmtp()
    const run = runsWith(
      { webhook, ...mailOf },
      { TEAMS: up.url, SMTP: `smtp://sync:${PASSWORD}@127.0.0.1:${smtp.port}` },
    )
    await run(-1)
    down.answers = [400, 400]
    held()
    const { log } = await run(0)
    expect(log).toContain('"whom":"webhook[0]","cause":"answered 400: check webhook[0].url"')
    failed()
    await run(1)
    expect(told(down)).toEqual(['summit held begun', 'summit held begun'])
    expect(up.received).toHaveLength(2)
    smtp.answers.MAIL = ['550 no', '550 no']
    good()
    const over = await run(2)
    expect(told(down).slice(2)).toEqual([
      'summit held begun',
      'summit failed changed',
      'summit finished over',
    ])
    expect(down.received[2]?.body).toBe(down.received[0]?.body)
    expect(up.received).toHaveLength(3)
    expect(over.log).toContain('"whom":"mail","cause":"answered 550 to MAIL FROM: check mail.from"')
    expect(smtp.mails).toHaveLength(2)
    await run(3)
    expect(smtp.mails).toHaveLength(2)
    await run(4)
    expect([down, up].map(({ received }) => received.length)).toEqual([5, 3])
    expect(smtp.mails.map((mail) => readMail(mail).headers.get('subject'))).toEqual([
      '[event-sync] summit: held by removals',
      '[event-sync] summit: failed (before: held)',
      '[event-sync] summit is up to date again',
    ])
    expect(smtp.violations).toEqual([])
    expect(up.received.map(({ body }) => body.includes('summit'))).toEqual([true, true, true])
  })

  test('a run that could not be opened is reported as a failure once, and the next success ends this failure', async () => {
    const receiver = await startReceiver()
    const run = runsWith({ webhook: { url: receiver.url } })
    // A `jsonl` platform cannot be read back, so the run is refused before it starts.
    for (const hour of [0, 1]) await expect(run(hour, { refresh: true })).rejects.toThrow('--refresh')
    expect(told(receiver)).toEqual(['summit failed begun'])
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ run: null, exitCode: 64 })
    await run(2)
    expect(told(receiver)).toEqual(['summit failed begun', 'summit finished over'])
  })

  test('the log never contains the password of the mail server, although the server repeats it', async () => {
    const smtp = await startSmtp()
    const run = runsWith(mailOf, { SMTP: `smtp://sync:${PASSWORD}-2@127.0.0.1:${smtp.port}` })
    failed()
    const { log } = await run(0)
    expect(log).toContain('answered 535 5.7.8 to AUTH PLAIN: check user name and password in mail.smtp')
    expect(log).not.toMatch(/canary|organiser\.example/)
  })
})

test('each receiver gets messages only about its own integrations, even if the runs are different processes', async () => {
  const sources = [await startScriptedSource(smallEvent), await startScriptedSource(smallEvent)] as const
  const [all, expo] = [await startReceiver(), await startReceiver()]
  const workspace = await makeWorkspace('postgres')
  workspace.configure({
    integrations: [integrationOfA('summit', sources[0].url), integrationOfA('expo', sources[1].url)],
    webhook: [{ url: all.url }, { url: expo.url, for: ['expo'] }],
    http: { retryBudgetSeconds: 0 },
  })
  const run = async (isGood: boolean, ...of: readonly (typeof sources)[number][]) => {
    for (const source of of) source.script = async () => (isGood ? null : { status: 404, body: '' })
    expect((await workspace.run('run')).code).toBe(isGood ? 0 : 1)
  }
  await run(false, ...sources)
  await run(false, ...sources)
  expect(told(expo)).toEqual(['expo failed begun'])
  expect(told(all)).toEqual(['summit failed begun', 'expo failed begun'])
  await run(true, ...sources)
  await run(false, sources[0])
  expect(told(expo)).toEqual(['expo failed begun', 'expo finished over'])
  expect(told(all).slice(2)).toEqual(['summit finished over', 'expo finished over', 'summit failed begun'])
  const keys = await workspace.rows('select distinct receiver from sync.notices')
  expect(keys.map(({ receiver }) => receiver)).toEqual([
    expect.stringMatching(/^127\.0\.0\.1:\d+ [0-9a-f]{8}$/),
    expect.stringMatching(/^127\.0\.0\.1:\d+ [0-9a-f]{8}$/),
  ])
})
