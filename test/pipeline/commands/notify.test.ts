import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readMail, startSmtpServer } from '../../harness/smtp-server.ts'
import { makeFolder } from '../../support/folder.ts'
import { startSlack, startTeams } from '../observe/chats.ts'
import { startReceiver } from '../observe/receiver.ts'
import { runInProcess } from './in-process.ts'
import { configOfA } from './small-event.ts'

/** Runs `notify --test` with a configuration. */
function notify(
  config: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = ['--test'],
) {
  const folder = makeFolder(onTestFinished)
  const all = { ...configOfA('https://source.example'), ...config }
  writeFileSync(join(folder, 'event-sync.yaml'), JSON.stringify(all))
  return runInProcess(['notify', ...args, '-c', join(folder, 'event-sync.yaml')], { folder, env })
}

const mail = { smtp: 'env:SMTP', from: 'sync@organiser.example', to: ['a@team.example', 'b@team.example'] }

test('a test message reaches every receiver, and the command says so', async () => {
  const [slack, teams] = [await startSlack(), await startTeams()]
  const smtp = await startSmtpServer()
  onTestFinished(() => smtp.close())
  const { port } = new URL(teams.url)
  const env = { SLACK: `${slack.url}/canary`, SMTP: `smtp://127.0.0.1:${smtp.port}` }
  const webhook = [{ url: 'env:SLACK' }, { url: `${teams.url}/canary`, format: 'teams', for: ['summit'] }]
  const { code, stdout, stderr } = await notify({ webhook, mail }, env)
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['receiver', 'address', 'test message'],
    [expect.stringMatching(/^-+$/), expect.stringMatching(/^-+$/), expect.stringMatching(/^-+$/)],
    ['webhook[0]', 'env:SLACK', 'accepted'],
    ['webhook[1]', `127.0.0.1:${port}`, 'accepted'],
    ['mail', 'env:SMTP', 'accepted'],
    [''],
  ])
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(slack.received[0]?.body ?? '')).toEqual({
    contract: '1.0',
    text: 'event-sync: test message\nThis receiver gets messages about all integrations, on: held, failed',
    end: null,
    state: 'test',
    at: expect.any(String),
    integration: null,
    run: null,
    status: null,
    exitCode: null,
    meaning: 'test message',
    guard: null,
    detail: null,
    error: null,
    planHash: null,
    todo: '',
    output: null,
  })
  expect(teams.received[0]?.body).toContain('about summit, on: held, failed')
  expect(smtp.mails.map((one) => readMail(one).headers.get('subject'))).toEqual(['[event-sync] test message'])
})

test('if a receiver does not accept the message, notify ends with exit code 1 and names the receiver and the reason, but no secret', async () => {
  const [good, bad] = [await startReceiver(), await startReceiver()]
  bad.answers = [404]
  const smtp = await startSmtpServer({ user: 'u', password: 'canary' })
  smtp.refused.set('b@team.example', '550 5.1.1 <b@team.example> unknown')
  onTestFinished(() => smtp.close())
  const env = { GOOD: good.url, BAD: `${bad.url}/canary`, SMTP: `smtp://u:canary@127.0.0.1:${smtp.port}` }
  const webhook = [{ url: 'env:BAD' }, { url: 'env:GOOD' }, { url: 'env:NONE' }]
  const { code, stdout, stderr } = await notify({ webhook, mail }, env, ['--test', '--json'])
  const reasons = JSON.parse(stdout).receivers.map(({ receiver, reason }: Record<string, string>) => [
    receiver,
    reason,
  ])
  expect(reasons).toEqual([
    ['webhook[0]', 'answered 404: check webhook[0].url'],
    ['webhook[1]', null],
    [
      'webhook[2]',
      'webhook[2].url: the secret env:NONE does not exist; set the environment variable NONE and try again',
    ],
    ['mail', 'mail.to[1]: answered 550 5.1.1 to RCPT TO: check mail.to'],
  ])
  expect(code).toBe(1)
  expect(stdout + stderr).not.toMatch(/canary|team\.example/)
})

test('without a receiver or without --test, notify sends nothing and says what to do', async () => {
  expect(await notify({})).toMatchObject({
    code: 64,
    stderr: expect.stringMatching(/has no receiver of messages; add `webhook` or `mail`/),
  })
  expect(await notify({ webhook: { url: 'https://hook.example' } }, {}, [])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("required option '--test'"),
  })
})
