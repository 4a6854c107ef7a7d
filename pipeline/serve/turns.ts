import type { EngineSession } from '../../sql/database.ts'
import { firstValueIn, message } from './wire-messages.ts'

/**
 * Settings and prepared statements of a client. The engine has only one session, so each turn restores them.
 */
export interface ClientState {
  settings: Readonly<Record<string, string>>
  /** Prepared statements by name, each as the message that prepares it. */
  readonly statements: Map<string, Buffer>
  /** True between two messages that the engine must get without messages of others in between. */
  isUnsynced: boolean
  /** Ends the connection, because it keeps others waiting. */
  evict(): void
}

/** Selects the settings that a client has changed, apart from those of its transaction. */
const SETTINGS = `
select pg_catalog.json_object_agg(name, setting)
from pg_catalog.pg_settings
where source = 'session' and name not like 'transaction%'`

interface Waiting {
  readonly client: ClientState
  readonly work: () => Promise<void>
}

/**
 * Lets clients take turns on the only session of the embedded engine. A turn lasts until the transaction of
 * the client has ended.
 */
export class Turns {
  readonly #session: EngineSession
  readonly #idleMs: number
  readonly #waiting: Waiting[] = []
  #current: ClientState | null = null
  #isBusy = false
  #idle: NodeJS.Timeout | undefined

  /** @param idleMs how long a transaction without a statement may keep other clients waiting */
  constructor(session: EngineSession, idleMs: number) {
    this.#session = session
    this.#idleMs = idleMs
  }

  /**
   * Runs work of a client when the client has its turn. The session then has the settings and the prepared
   * statements of the client.
   *
   * @throws EngineStoppedError
   */
  take<Result>(client: ClientState, work: () => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push({ client, work: () => this.#switchTo(client).then(work).then(resolve, reject) })
    void this.#next()
    return promise
  }

  /** Gives up the turn of a client whose connection has ended, and rolls its transaction back. */
  async leave(client: ClientState): Promise<void> {
    const left = this.#waiting.filter((one) => one.client !== client)
    this.#waiting.splice(0, this.#waiting.length, ...left)
    client.isUnsynced = false
    if (this.#current !== client) return
    await this.take(client, async () => {
      await this.#run('rollback')
      this.#current = null
    })
  }

  async #next(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    for (let turn = this.#pick(); turn !== null; turn = this.#pick()) {
      clearTimeout(this.#idle)
      this.#idle = undefined
      await turn.work()
      // Without this pause, signals and new connections would wait until no client has a query.
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#isBusy = false
    const holder = this.#current
    // A client that begins to wait does not give the holder more time.
    if (this.#waiting.length > 0) this.#idle ??= setTimeout(() => holder?.evict(), this.#idleMs).unref()
  }

  #pick(): Waiting | null {
    const holder = this.#current
    const isHeld = holder !== null && (holder.isUnsynced || this.#session.isInTransaction())
    const at = isHeld ? this.#waiting.findIndex(({ client }) => client === holder) : 0
    return (at < 0 ? undefined : this.#waiting.splice(at, 1)[0]) ?? null
  }

  async #switchTo(client: ClientState): Promise<void> {
    if (this.#current === client) return
    if (this.#current !== null) this.#current.settings = await this.#readSettings()
    this.#current = client
    await this.#run(
      'close all; unlisten *; select pg_catalog.pg_advisory_unlock_all(); deallocate all; reset all',
    )
    const calls = Object.entries(client.settings).map(
      ([name, value]) => `pg_catalog.set_config(${literal(name)}, ${literal(value)}, false)`,
    )
    if (calls.length > 0) await this.#run(`select ${calls.join(', ')}`)
    for (const statement of client.statements.values())
      await this.#session.send(Buffer.concat([statement, message('S')]), () => undefined)
  }

  async #readSettings(): Promise<Readonly<Record<string, string>>> {
    return JSON.parse((await this.#run(SETTINGS)) || '{}')
  }

  /** @returns the first value of the answer */
  async #run(text: string): Promise<string> {
    return askFor(this.#session, text)
  }
}

/** Thrown if the engine refuses a statement that this product sends for a client. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  /** The message of the engine about the error. */
  readonly answer: Buffer

  constructor(answer: Buffer) {
    super('the engine refused a statement')
    this.answer = answer
  }
}

/**
 * Sends statements, and returns the first value of their answer.
 *
 * @throws RefusedError
 */
export async function askFor(session: EngineSession, text: string): Promise<string> {
  const parts: Buffer[] = []
  await session.send(message('Q', text), (bytes) => parts.push(bytes))
  const { value, error } = firstValueIn(Buffer.concat(parts))
  if (error !== null) throw new RefusedError(error)
  return value ?? ''
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
