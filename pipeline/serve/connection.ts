import type { Socket } from 'node:net'
import { type EngineSession, EngineStoppedError } from '../../sql/database.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { type Exchange, MECHANISM, openExchange, type Verifier } from './scram.ts'
import { askFor, type ClientState, RefusedError, type Turns } from './turns.ts'
import { type ClientMessage, fatal, MessageReader, message, ProtocolError, textsIn } from './wire-messages.ts'

/** Values that all connections of a server share. */
export interface Served {
  readonly session: EngineSession
  readonly turns: Turns
  readonly verifier: Verifier
  readonly role: string
  readonly database: string
  makeNonce(): string
  /** Ends the server, because the engine or this program cannot continue. */
  onFault(error: unknown): void
}

/** A client that has not logged in within this time is disconnected. */
const LOGIN_MS = 10_000

/** Codes in the first message of a connection. */
const SSL = 80877103
const GSS = 80877104
const CANCEL = 80877102
const VERSION_3 = 3

/** Messages after which the engine must work, because the client waits for an answer. */
const ASKING = new Set(['Q', 'S', 'H', 'F'])

/** Parameters that the first message has, and that are not settings of the session. */
const NOT_SETTINGS = new Set(['user', 'database', 'options', 'replication'])

/** Settings whose values PostgreSQL reports to a client after its login. */
const REPORTED = `
select pg_catalog.json_object_agg(name, setting) from pg_catalog.pg_settings
where name in (
  'server_version', 'server_encoding', 'client_encoding', 'DateStyle', 'TimeZone', 'IntervalStyle',
  'integer_datetimes', 'standard_conforming_strings', 'application_name', 'default_transaction_read_only'
)`

/** Serves one connection until it ends. */
export async function serveConnection(socket: Socket, served: Served): Promise<void> {
  const reader = new MessageReader()
  let login: Login | null = null
  let client: ClientState | null = null
  let batch: Buffer[] = []
  let prepared: ClientMessage[] = []
  const timer = setTimeout(() => socket.destroy(), LOGIN_MS).unref()
  socket.setNoDelay(true)
  socket.on('error', () => undefined)

  async function take(received: ClientMessage): Promise<boolean> {
    if (client !== null) return work(client, received)
    if (login === null) {
      const code = received.body.length < 4 ? 0 : received.body.readInt32BE()
      // The answer N says that the connection continues without encryption. It does not leave this machine.
      if (code === SSL || code === GSS) return socket.write('N')
      // A query of the embedded engine cannot be interrupted.
      if (code === CANCEL) return false
      if (code >> 16 !== VERSION_3) throw new ProtocolError('the protocol must be version 3')
      // Tells a client that asks for a newer minor version that this server has 3.0.
      if ((code & 0xffff) !== 0) socket.write(message('v', 0, 0))
      login = openLogin(textsIn(received.body.subarray(4)), served)
      return socket.write(login.begin)
    }
    const { answer, isDone } = login.take(received)
    socket.write(answer)
    if (!isDone) return !socket.writableEnded
    client = { settings: login.settings, statements: new Map(), isUnsynced: false, evict }
    clearTimeout(timer)
    socket.write(await served.turns.take(client, () => greet(served)))
    return true
  }

  function evict(): void {
    socket.write(fatal('25P03', 'this transaction was open without a statement while another client waited'))
    // The client may not notice the end of the connection before its next statement.
    socket.destroySoon()
  }

  async function work(of: ClientState, received: ClientMessage): Promise<boolean> {
    if (received.type === 'X') return false
    batch.push(received.bytes)
    if (received.type === 'P' || received.type === 'C') prepared.push(received)
    if (!ASKING.has(received.type)) return true
    const bytes = Buffer.concat(batch)
    const statements = prepared
    batch = []
    prepared = []
    await served.turns.take(of, async () => {
      of.isUnsynced = received.type === 'H'
      await served.session.send(bytes, (answer) => socket.write(answer))
      for (const statement of statements) keep(of, statement)
    })
    return true
  }

  try {
    // By default, the loop would destroy the socket before an error message can be sent.
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      reader.push(chunk)
      for (;;) {
        const received = reader.next(login !== null, client !== null)
        if (received === null) break
        if (!(await take(received))) return
      }
    }
  } catch (error) {
    if (!isOfClient(error)) served.onFault(error)
    socket.write(answerTo(error))
  } finally {
    clearTimeout(timer)
    socket.destroySoon()
    if (client !== null) await served.turns.leave(client).catch(served.onFault)
  }
}

/**
 * Returns true if only the connection to this client has a fault. Node gives each fault of a connection a
 * code.
 */
function isOfClient(error: unknown): boolean {
  const isRefused =
    error instanceof RefusedError || error instanceof ProtocolError || error instanceof LoginError
  return isRefused || (!(error instanceof EngineStoppedError) && systemCodeOf(error) !== null)
}

function answerTo(error: unknown): Buffer {
  if (error instanceof RefusedError) return error.answer
  if (error instanceof ProtocolError) return fatal('08P01', error.message)
  if (error instanceof LoginError) return fatal(error.code, error.message)
  return fatal('57P01', 'the server ends')
}

/** Remembers a prepared statement, or forgets a closed one. */
function keep({ statements }: ClientState, { type, bytes, body }: ClientMessage): void {
  const [name = ''] = textsIn(body)
  if (type === 'P') statements.set(name, bytes)
  else if (name.startsWith('S')) statements.delete(name.slice(1))
}

/** Returns the messages that end a login. */
async function greet({ session, role }: Served): Promise<Buffer> {
  const reported: Readonly<Record<string, string>> = JSON.parse(await askFor(session, REPORTED))
  const all = { ...reported, is_superuser: 'off', session_authorization: role }
  const parameters = Object.entries(all).map(([name, value]) => message('S', name, value))
  // The second message has the key with which a client could cancel a query.
  return Buffer.concat([...parameters, message('K', process.pid, 0), message('Z', Buffer.from('I'))])
}

class LoginError extends Error {
  override readonly name = 'LoginError'
  readonly code: string

  constructor(code: string, text: string) {
    super(text)
    this.code = code
  }
}

interface Login {
  /** The message that begins the login. */
  readonly begin: Buffer
  readonly settings: Readonly<Record<string, string>>
  /** @throws LoginError */
  take(received: ClientMessage): { readonly answer: Buffer; readonly isDone: boolean }
}

/**
 * Checks the password of a client, then the database that the client wants.
 *
 * @param parameters names and values from the first message, one after the other
 */
function openLogin(parameters: readonly string[], { verifier, role, database, makeNonce }: Served): Login {
  const given = new Map<string, string>()
  for (let at = 0; at + 1 < parameters.length; at += 2)
    given.set(parameters[at] ?? '', parameters[at + 1] ?? '')
  const exchange: Exchange = openExchange(verifier, makeNonce())
  const user = given.get('user') ?? ''
  const wrong = () => new LoginError('28P01', `password authentication failed for user "${user}"`)
  let isChallenged = false
  return {
    begin: message('R', 10, MECHANISM, Buffer.of(0)),
    settings: settingsOf(given),
    take({ type, body }) {
      if (type !== 'p') throw new ProtocolError('a password was expected')
      if (!isChallenged) {
        isChallenged = true
        const at = body.indexOf(0)
        const challenge = exchange.first(body.toString('utf8', at + 5))
        if (body.toString('utf8', 0, at) !== MECHANISM || challenge === null) throw wrong()
        return { answer: message('R', 11, Buffer.from(challenge)), isDone: false }
      }
      const signature = exchange.last(body.toString('utf8'))
      if (signature === null || user !== role) throw wrong()
      const wanted = given.get('database') ?? user
      if (wanted !== database)
        throw new LoginError(
          '3D000',
          `database "${wanted}" does not exist; this server has only "${database}"`,
        )
      return {
        answer: Buffer.concat([message('R', 12, Buffer.from(signature)), message('R', 0)]),
        isDone: true,
      }
    },
  }
}

/**
 * Returns the settings with which a client's session begins. `options` has more of them, as `-c NAME=VALUE`.
 */
function settingsOf(given: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const own = [...given].filter(
    ([name]) => name !== '' && !NOT_SETTINGS.has(name) && !name.startsWith('_pq_.'),
  )
  const options = (given.get('options') ?? '').matchAll(/(?:-c\s*|--)([\w.]+)=((?:\\.|\S)*)/g)
  const more = [...options].map(([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, '$1')])
  return { default_transaction_read_only: 'on', ...Object.fromEntries([...own, ...more]) }
}
