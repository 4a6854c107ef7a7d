import type { NotifiedEnd } from '../../sql/tables.ts'
import type { ReadError } from '../http/read-error.ts'
import type { Message } from './notice-text.ts'

/** A message in the format that is stored and sent. */
export interface Outgoing {
  /** A UUIDv7, which is the same in each attempt to send the message. */
  readonly noticeId: string
  /** Text of the message, made by `bodyOf`. */
  readonly body: string
  readonly madeAt: Date
}

/** A recipient that the mail server refused although it accepted the mail for other recipients. */
export interface Refusal {
  /** Key of the recipient in event-sync.yaml, for example `mail.to[1]`. */
  readonly name: string
  readonly error: ReadError
}

/** A destination for messages about integrations: a webhook, or the recipients of the mail. */
export interface Receiver {
  /** Key of the receiver in event-sync.yaml: `webhook`, `webhook[1]` or `mail`. */
  readonly name: string
  /**
   * Key of the receiver in the database. The key does not change if the list in the configuration is sorted
   * in another order. It contains no secret.
   */
  readonly key: string
  /** The reference to the secret address, or the host of the address, for messages. */
  readonly shown: string
  readonly on: readonly NotifiedEnd[]
  /** Ids of the integrations about which the receiver gets messages; undefined: all integrations. */
  readonly for: readonly string[] | undefined
  /** Maximum time for all messages that are sent to this receiver after a run. */
  readonly timeoutSeconds: number
  /**
   * Resolves the secrets of the receiver.
   *
   * @returns the address for HTTP requests; null for mail
   * @throws ConfigError if a reference cannot be resolved or if the address is invalid
   */
  address(): URL | null
  /** Makes the text that is stored and sent. */
  bodyOf(message: Message): string
  /**
   * Sends a message, with retries.
   *
   * @throws ReadError if the receiver did not accept the message; ConfigError if an address, secret,
   *   certificate or proxy is wrong
   */
  send(message: Outgoing, budgetMs: number): Promise<readonly Refusal[]>
}
