import type { NodemailerError } from 'nodemailer'
import { z } from 'zod'
import {
  ConfigError,
  type MailConfig,
  resolveSecret,
  type SecretEnvironment,
  type SecretReference,
} from '../config/config.ts'
import { certificatesOf } from '../context/limits.ts'
import type { BaseContext } from '../context/run-context.ts'
import { trustOf } from '../http/connections.ts'
import { NOT_TRUSTED, UNKNOWN_HOST } from '../http/http.ts'
import { ReadError } from '../http/read-error.ts'
import { isLoopback } from '../settings/addresses.ts'
import { untilAccepted } from './deliver.ts'
import type { Outgoing, Receiver, Refusal } from './receiver.ts'

/**
 * Maximum time for sending all mails after a run. The time is long because mail servers let unknown senders
 * wait before they greet them.
 */
const TIMEOUT_SECONDS = 30

/** The parts of a mail that the database stores. */
const storedMail = z.object({ subject: z.string(), text: z.string() })

/** Makes the receiver that sends messages by mail. All recipients receive the same mail. */
export function mailReceiver(context: BaseContext, mail: MailConfig): Receiver {
  return {
    name: 'mail',
    key: 'mail',
    shown: mail.smtp,
    on: mail.on,
    for: mail.for,
    timeoutSeconds: TIMEOUT_SECONDS,
    address() {
      serverOf(mail.smtp, context.secrets)
      return null
    },
    bodyOf: ({ heading, text }) => JSON.stringify({ subject: `[event-sync] ${heading}`, text }),
    send: (message, budgetMs) =>
      untilAccepted(context.environment, budgetMs, (leftMs) => sendMail(context, mail, message, leftMs)),
  }
}

/**
 * Sends a mail.
 *
 * @returns the recipients that the server refused, if it accepted the mail for others
 * @throws ReadError if the server accepted the mail for no recipient
 */
async function sendMail(
  context: BaseContext,
  { smtp, from, to }: MailConfig,
  { noticeId, body, madeAt }: Outgoing,
  timeoutMs: number,
): Promise<readonly Refusal[]> {
  const server = serverOf(smtp, context.secrets)
  const tls = trustOf(certificatesOf(context))
  // Nodemailer is loaded only for the first mail, because most commands send no mail.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    ...server,
    tls,
    // Without `forceAuth`, Nodemailer would send the mail without login if the server does not offer AUTH.
    forceAuth: server.auth !== undefined,
    socketCloseTimeout: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const signal = AbortSignal.timeout(Math.ceil(timeoutMs))
  const mail = storedMail.parse(JSON.parse(body))
  try {
    const { rejectedErrors = [] } = await transport.sendMail({
      from,
      to: [...to],
      ...mail,
      messageId: `<${noticeId}@${from.slice(from.lastIndexOf('@') + 1)}>`,
      date: madeAt,
      // The header `Auto-Submitted` asks automatic replies, such as out-of-office messages, not to answer
      // (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      // With another encoding, Nodemailer would break long lines.
      textEncoding: 'quoted-printable',
      xMailer: false,
      signal,
    })
    return rejectedErrors.map((error) => {
      const index = to.indexOf(error.recipient ?? '')
      return { name: index < 0 ? 'mail.to' : `mail.to[${index}]`, error: faultOf(error, timeoutMs) }
    })
  } catch (error) {
    throw faultOf(error instanceof Error ? error : new Error(String(error)), timeoutMs)
  }
}

/**
 * Returns the mail server and the login that a reference contains.
 *
 * @throws ConfigError if the reference cannot be resolved or if the address is invalid
 */
export function serverOf(smtp: SecretReference, secrets: SecretEnvironment) {
  const url = URL.parse(resolveSecret(smtp, secrets, 'mail.smtp').reveal())
  const [user, pass] = url === null ? [null, null] : [decoded(url.username), decoded(url.password)]
  const isAddress =
    url !== null &&
    /^smtps?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    /^\/?$/.test(url.pathname + url.search + url.hash) &&
    user !== null &&
    pass !== null &&
    (user === '') === (pass === '')
  if (!isAddress) {
    throw new ConfigError(`mail.smtp: the content of ${smtp} is not an smtp or smtps address (not shown)`, {
      todo: 'put smtps://USER:PASSWORD@HOST:PORT there, and in user and password write / # ? : @ % as %2F %23 %3F %3A %40 %25',
    })
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const secure = url.protocol === 'smtps:'
  const isLocal = isLoopback(host)
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // A mail server on this machine often has a certificate that is not trusted, so STARTTLS is not used.
    ignoreTLS: isLocal,
    requireTLS: !secure && !isLocal && secrets.insecureHttp !== true,
    ...(user === '' ? {} : { auth: { user, pass } }),
  }
}

/** Decodes percent escapes in a part of an address. Returns null if a `%` has no two hexadecimal digits. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/**
 * Makes the error for a mail that the server did not accept. The error contains only codes of the server's
 * answer, because the answer itself can contain addresses of recipients.
 */
function faultOf(error: NodemailerError, timeoutMs: number): ReadError {
  const { code = '', originalCode = code, responseCode, permanent, command = '' } = error
  const unreachable = 'check mail.smtp, and that this machine can reach it (firewall)'
  if (responseCode !== undefined) {
    const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3}) /.exec(error.response ?? '')?.[1]
    const to = command === 'CONN' ? '' : ` to ${command}`
    const answered = `answered ${[responseCode, enhanced ?? []].flat().join(' ')}${to}`
    return new ReadError(answered, { retryable: permanent === false, hint: hintFor(command) })
  }
  if (code === 'EABORT') {
    const what = `no answer for ${Math.ceil(timeoutMs / 1000)} s`
    return new ReadError(what, { retryable: true, hint: unreachable })
  }
  if (code === 'ETLS' || NOT_TRUSTED.test(originalCode)) {
    const hint = 'check mail.smtp; if the certificate is from a private authority, set http.caFile'
    return new ReadError('TLS could not be started', { hint })
  }
  if (code === 'EDNS' || UNKNOWN_HOST.has(originalCode)) {
    const hint = 'check the host name in mail.smtp, and the DNS of this machine'
    return new ReadError('the host name is unknown', { retryable: true, hint })
  }
  const what = code === 'ECONNECTION' ? 'the connection broke off' : `the connection failed (${originalCode})`
  return new ReadError(what, { retryable: true, hint: unreachable })
}

/** Returns advice for an SMTP command that the server refused. */
function hintFor(command: string): string {
  if (command.startsWith('AUTH')) return 'check user name and password in mail.smtp'
  if (command === 'MAIL FROM') return 'check mail.from'
  if (command === 'RCPT TO') return 'check mail.to'
  if (command === 'STARTTLS')
    return 'use smtps:// or a server with STARTTLS, or add --insecure-http to send everything unencrypted'
  return 'check mail.smtp'
}
