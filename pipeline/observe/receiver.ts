import type { NotifiedEnd } from '../../sql/tables.ts'
import type { ReadError } from '../http/read-error.ts'
import type { Message } from './notice-text.ts'

/** A message in the form that is stored and sent. */
export interface Outgoing {
  /** UUIDv7, the same at each try. */
  readonly noticeId: string
  /** Made by `bodyOf`. */
  readonly body: string
  readonly madeAt: Date
}

/** A recipient that the receiver refused while it accepted the message for others. */
export interface Refusal {
  /** Key in event-sync.yaml: `mail.to[1]`. */
  readonly name: string
  readonly error: ReadError
}

/** A place to which messages about integrations are sent: a webhook or the mail. */
export interface Receiver {
  /** Key in event-sync.yaml: `webhook`, `webhook[1]` or `mail`. */
  readonly name: string
  /** Key in the database. It stays the same if the list is sorted in another order, and holds no secret. */
  readonly key: string
  /** Reference to the address, or the host of the address. */
  readonly shown: string
  readonly on: readonly NotifiedEnd[]
  /** Ids of the integrations that it is for; undefined: all. */
  readonly for: readonly string[] | undefined
  /** Longest time for all messages that are sent after a run. */
  readonly timeoutSeconds: number
  /**
   * Resolves the secrets.
   *
   * @returns the address for HTTP requests; null for mail
   * @throws ConfigError if a reference cannot be resolved or the address is invalid
   */
  address(): URL | null
  /** Makes the body that is stored and sent. */
  bodyOf(message: Message): string
  /**
   * Sends a message, with retries.
   *
   * @throws ReadError if it was not accepted; ConfigError for addresses, secrets, certificates and proxies
   */
  send(message: Outgoing, budgetMs: number): Promise<readonly Refusal[]>
}
