import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/**
 * A step of the SMTP dialogue at which a test can change the server's answer. `message` is the step after the
 * text of a mail.
 */
export type SmtpStep = 'greeting' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'message'

/**
 * An answer such as `550 5.1.1 no such user`. `close`: the server closes the connection without an answer.
 * `hang`: the server never answers.
 */
export type SmtpAnswer = string | 'close' | 'hang'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /**
   * Headers and body of the mail as the server received them. The dots that SMTP adds at the beginning of
   * lines are removed.
   */
  readonly raw: string
}

export interface SmtpServer {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  /** Violations of the protocol. A test expects none. */
  readonly violations: readonly string[]
  /** Number of connections that the server has accepted. */
  readonly connections: number
  /**
   * Answers for a step, used one after the other in this order. After the last answer the server works
   * normally.
   */
  readonly answers: Partial<Record<SmtpStep, SmtpAnswer[]>>
  /** Recipients whom the server always refuses, each with the answer that it sends. */
  readonly refused: Map<string, string>
  close(): Promise<void>
}

const MOST_OF_COMMAND = 512
const MOST_OF_LINE = 998

/**
 * Starts a mail server on loopback that is as strict as RFC 5321: lines end with CRLF, commands come in
 * order, lines have a limited length, and texts are ASCII.
 *
 * @param login user name and password for AUTH PLAIN; null if the server offers no AUTH
 */
export async function startSmtpServer(
  login: { readonly user: string; readonly password: string } | null = null,
): Promise<SmtpServer> {
  const mails: ReceivedMail[] = []
  const violations: string[] = []
  const answers: SmtpServer['answers'] = {}
  const refused = new Map<string, string>()
  const sockets = new Set<Socket>()
  let connections = 0

  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const violated = (what: string) => violations.push(what)
    let isKnown = login === null
    let hasGreeted = false
    let from: string | null = null
    let to: string[] = []
    let text: string[] | null = null
    let rest = ''

    function answer(step: SmtpStep, normal: string): boolean {
      const other = answers[step]?.shift()
      if (other === 'hang') return false
      if (other === 'close') {
        socket.destroy()
        return false
      }
      socket.write(`${other ?? normal}\r\n`)
      return other === undefined
    }

    const say = (line: string) => socket.write(`${line}\r\n`)

    function take(line: string): void {
      if (line.length > MOST_OF_COMMAND) violated('a command is too long')
      const [verb = ''] = line.toUpperCase().split(/[ :]/, 1)
      const argument = line.slice(verb.length + 1)
      if (verb === 'EHLO') {
        hasGreeted = true
        say(login === null ? '250 smtp.test' : '250-smtp.test\r\n250 AUTH PLAIN')
      } else if (verb === 'AUTH' && login !== null) takeLogin(argument)
      else if (verb === 'MAIL') {
        if (!hasGreeted || !isKnown || from !== null) violated(`${line} comes too early or twice`)
        if (answer('MAIL', '250 ok')) from = /^FROM:<([^>]*)>$/i.exec(argument)?.[1] ?? null
      } else if (verb === 'RCPT') takeRecipient(/^TO:<([^>]*)>$/i.exec(argument)?.[1] ?? '')
      else if (verb === 'DATA') {
        if (to.length === 0) violated('DATA comes before RCPT')
        if (answer('DATA', '354 go on')) text = []
      } else say('500 unknown command')
    }

    function takeLogin(argument: string): void {
      const [method = '', response = ''] = argument.split(' ')
      const [, user, password] = Buffer.from(response, 'base64').toString('utf8').split('\0')
      const isRight = method === 'PLAIN' && user === login?.user && password === login?.password
      // Some servers repeat the user name and password in their error message.
      if (isRight) isKnown = answer('AUTH', '235 ok')
      else say(`535 5.7.8 wrong: ${user} ${password}`)
    }

    function takeRecipient(address: string): void {
      if (from === null) violated('RCPT comes before MAIL')
      const refusal = refused.get(address)
      if (refusal !== undefined) say(refusal)
      else if (answer('RCPT', '250 ok')) to.push(address)
    }

    function takeText(line: string): void {
      if (line !== '.') {
        if (line.length > MOST_OF_LINE) violated('a line of a mail is too long')
        if (/[^\t\x20-\x7e]/.test(line)) violated('a mail is not ASCII')
        text?.push(line.replace(/^\./, ''))
        return
      }
      const mail = { from: from ?? '', to, raw: (text ?? []).join('\r\n') }
      text = null
      from = null
      to = []
      if (answer('message', '250 2.0.0 queued')) mails.push(mail)
    }

    socket.setEncoding('latin1').on('data', (chunk: string) => {
      rest += chunk
      const lines = rest.split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (/[\r\n]/.test(line)) violated('a line does not end with CRLF')
        if (text === null) take(line)
        else takeText(line)
      }
    })
    answer('greeting', '220 smtp.test ESMTP')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    violations,
    get connections() {
      return connections
    },
    answers,
    refused,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The subject and text of a mail, decoded as its reader sees them. */
export interface ReadMail {
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

/** Decodes a mail that has a single part with the encoding quoted-printable. */
export function readMail({ raw }: ReceivedMail): ReadMail {
  const end = raw.indexOf('\r\n\r\n')
  const headers = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map(
      (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const,
    )
  const bytes = raw
    .slice(end + 4)
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return { headers: new Map(headers), text: Buffer.from(bytes, 'latin1').toString('utf8') }
}
