import { afterEach, beforeEach, expect, test } from 'vitest'
import { configSchema } from '../../../pipeline/config/config.ts'
import type { BaseContext } from '../../../pipeline/context/run-context.ts'
import { mailReceiver, serverOf } from '../../../pipeline/observe/mail.ts'
import { testMessage } from '../../../pipeline/observe/notice-text.ts'
import { silent } from '../../../pipeline/runtime/events.ts'
import { readMail, type SmtpAnswer, type SmtpServer, startSmtpServer } from '../../harness/smtp-server.ts'
import { testEnvironment } from '../extract/support.ts'

const LOGIN = { user: 'sync@team', password: 'canary/1: %' }
const NOTICE_ID = '01a1fda0-7c5e-7d41-9b3f-2f6a1c0d8e77'
const TO = ['ada@people.example', 'bob@people.example']

let server: SmtpServer
beforeEach(async () => {
  server = await startSmtpServer(LOGIN)
})
afterEach(() => server.close())

const addressOf = ({ user, password }: typeof LOGIN) =>
  `smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${server.port}`

function secretsOf(env: Readonly<Record<string, string>>, insecureHttp = false): BaseContext['secrets'] {
  return { env, readFile: () => '', configFolder: '/', insecureHttp }
}

/** Sends a mail of two lines. */
function send(address = addressOf(LOGIN), budgetMs = 10_000) {
  const config = configSchema.parse({
    integrations: [
      {
        id: 'summit',
        source: { type: 'a', url: 'https://x.example', eventId: '1' },
        platform: { type: 'jsonl' },
      },
    ],
    mail: { smtp: 'env:SMTP', from: 'sync@organiser.example', to: TO },
  })
  if (config.mail === undefined) throw new Error('no mail')
  const secrets = secretsOf({ SMTP: address })
  const context = { config, environment: testEnvironment(), secrets, outputFolder: '/', events: silent }
  const receiver = mailReceiver(context, config.mail)
  const text = `summit: held. Größe 水 ${'long '.repeat(300)}\n.a line with a dot`
  const { facts } = testMessage(['held'], undefined, '2031-05-04T12:00:00.000Z')
  const body = receiver.bodyOf({ heading: 'summit: held', text, facts })
  return receiver.send({ noticeId: NOTICE_ID, body, madeAt: new Date('2031-05-04T12:00:00Z') }, budgetMs)
}

test('a mail has a subject, a fixed id and date, and its text unchanged', async () => {
  expect(await send()).toEqual([])
  expect(server.violations).toEqual([])
  const [mail, ...others] = server.mails
  expect(others).toEqual([])
  expect([mail?.from, mail?.to]).toEqual(['sync@organiser.example', TO])
  const { headers, text } = readMail(mail ?? { from: '', to: [], raw: '' })
  expect(Object.fromEntries(headers)).toEqual({
    from: 'sync@organiser.example',
    to: TO.join(', '),
    subject: '[event-sync] summit: held',
    'message-id': `<${NOTICE_ID}@organiser.example>`,
    date: 'Sun, 04 May 2031 12:00:00 +0000',
    'auto-submitted': 'auto-generated',
    'mime-version': '1.0',
    'content-type': 'text/plain; charset=utf-8',
    'content-transfer-encoding': 'quoted-printable',
  })
  expect(text.trimEnd().split('\r\n')).toEqual([
    `summit: held. Größe 水 ${'long '.repeat(300)}`,
    '.a line with a dot',
  ])
})

test.each<[string, Parameters<typeof answer>, string, number]>([
  [
    'refuses the sender',
    ['MAIL', '550 5.7.1 <ada@people.example>'],
    'answered 550 5.7.1 to MAIL FROM: check mail.from',
    1,
  ],
  [
    'refuses all recipients',
    ['RCPT', '550 5.1.1 <ada@people.example>', 2],
    'answered 550 5.1.1 to RCPT TO: check mail.to',
    1,
  ],
  ['refuses the text', ['message', '554 ada@people.example'], 'answered 554 to DATA: check mail.smtp', 1],
  ['refuses to work', ['greeting', '554 no'], 'answered 554: check mail.smtp', 1],
  [
    'is busy',
    ['MAIL', '451 4.3.0 later', 9],
    'answered 451 4.3.0 to MAIL FROM; gave up after 4 tries: check mail.from',
    4,
  ],
  [
    'closes the connection',
    ['greeting', 'close', 9],
    'the connection broke off; gave up after 4 tries: check mail.smtp, and that this machine can reach it (firewall)',
    4,
  ],
])(
  'the error says which answer is the reason if the server %s',
  async (_what, [step, other, times], message, connections) => {
    answer(step, other, times)
    await expect(send()).rejects.toMatchObject({ message })
    expect(server.connections).toBe(connections)
    expect(server.mails).toEqual([])
  },
)

function answer(step: keyof SmtpServer['answers'], other: SmtpAnswer, times = 1): void {
  server.answers[step] = Array.from({ length: times }, () => other)
}

test('if the mail server is busy, it gets the mail at the next try', async () => {
  answer('message', '451 4.3.0 later', 2)
  expect(await send()).toEqual([])
  expect(server.mails).toHaveLength(1)
  expect(server.connections).toBe(3)
})

test.each(['greeting', 'message'] as const)(
  'a mail server that is silent after the %s is given up in time',
  async (step) => {
    answer(step, 'hang')
    await expect(send(addressOf(LOGIN), 300)).rejects.toThrow(
      'no answer for 1 s; gave up after one try: check mail.smtp',
    )
    expect(server.connections).toBe(1)
  },
)

test('a wrong password is tried only once, and the error does not contain it, although the mail server repeats it', async () => {
  const wrong = await send(addressOf({ ...LOGIN, password: 'canary/2' })).catch((error: unknown) => error)
  expect(wrong).toMatchObject({
    message: 'answered 535 5.7.8 to AUTH PLAIN: check user name and password in mail.smtp',
  })
  expect(JSON.stringify(wrong, Object.getOwnPropertyNames(wrong))).not.toContain('canary')
  expect(server.connections).toBe(1)
})

test('if the mail server refuses a recipient, the other recipients still get the mail, and the error names no address', async () => {
  server.refused.set('bob@people.example', '550 5.1.1 <bob@people.example> unknown')
  const refusals = await send()
  expect(refusals.map(({ name, error }) => [name, error.message])).toEqual([
    ['mail.to[1]', 'answered 550 5.1.1 to RCPT TO: check mail.to'],
  ])
  expect(server.mails.map(({ to }) => to)).toEqual([['ada@people.example']])
})

test('if the server address has a password, no mail is sent to a server without AUTH', async () => {
  const open = await startSmtpServer()
  await expect(send(`smtp://u:p@127.0.0.1:${open.port}`)).rejects.toThrow(/answered 500 to AUTH PLAIN/)
  expect(open.mails).toEqual([])
  await open.close()
})

const server25 = { port: 587, secure: false, ignoreTLS: false, requireTLS: true }
test.each([
  ['smtp://mail.example', { host: 'mail.example', ...server25 }],
  ['smtp://mail.example:25/', { host: 'mail.example', ...server25, port: 25 }],
  [
    'smtps://u:p%40%2F@mail.example',
    {
      host: 'mail.example',
      port: 465,
      secure: true,
      ignoreTLS: false,
      requireTLS: false,
      auth: { user: 'u', pass: 'p@/' },
    },
  ],
  ['smtp://localhost:25', { host: 'localhost', port: 25, secure: false, ignoreTLS: true, requireTLS: false }],
  ['smtp://[::1]', { host: '::1', port: 587, secure: false, ignoreTLS: true, requireTLS: false }],
])(
  '%s is a valid address of a mail server; a server without TLS must be on this machine',
  (address, expected) => {
    expect(serverOf('env:SMTP', secretsOf({ SMTP: address }))).toEqual(expected)
  },
)

test('with --insecure-http a mail server without TLS is allowed', () => {
  expect(serverOf('env:SMTP', secretsOf({ SMTP: 'smtp://mail.example' }, true)).requireTLS).toBe(false)
})

test.each([
  'https://u:CANARY@mail.example',
  'CANARY',
  'smtp://',
  'smtp://u@mail.example',
  'smtp://:CANARY@mail.example',
  'smtp://u:CANARY#1@mail.example',
  'smtp://u:CANARY%@mail.example',
  'smtp://u:CANARY@mail.example/path',
  'smtp://u:CANARY@mail.example?logger=true',
])('the mail server address %s is refused, and the error does not repeat it', (address) => {
  const refused = () => serverOf('env:SMTP', secretsOf({ SMTP: address }))
  expect(refused).toThrow('mail.smtp: the content of env:SMTP is not an smtp or smtps address (not shown)')
  expect(refused).not.toThrow(/CANARY|mail\.example/)
})
