import { createHmac } from 'node:crypto'
import type { WebhookConfig } from '../config/config.ts'
import type { BaseContext } from '../context/run-context.ts'
import { accountHash, Secret } from '../settings/secrets.ts'
import { isReference } from '../settings/values.ts'
import { deliver, webhookAddress } from './deliver.ts'
import { escapeForSlack, type Message, teamsMessage } from './notice-text.ts'
import type { Outgoing, Receiver } from './receiver.ts'

/**
 * Makes the receiver for a webhook.
 *
 * @param name key of the webhook in event-sync.yaml, for example `webhook[1]`
 */
export function webhookReceiver(context: BaseContext, webhook: WebhookConfig, name: string): Receiver {
  const { environment, secrets } = context
  const { url: address, on, format, timeoutSeconds } = webhook
  const shown = isReference(address) ? address : new URL(address).host

  async function send({ noticeId, body }: Outgoing, budgetMs: number) {
    const seconds = String(Math.floor(environment.now() / 1000))
    const { url, secret } = webhookAddress(webhook, name, secrets)
    const headers = {
      'Content-Type': 'application/json',
      'webhook-id': noticeId,
      'webhook-timestamp': seconds,
      ...(secret === null ? {} : { 'webhook-signature': sign(secret, noticeId, seconds, body) }),
    }
    await deliver(context, { url, addressKey: `${name}.url`, headers, body }, budgetMs)
    return []
  }

  return {
    name,
    // The path of an address can be a secret, so the database key contains only a short keyed hash of the
    // path.
    key: isReference(address) ? address : `${shown} ${accountHash([new Secret(address)])}`,
    shown,
    on,
    for: webhook.for,
    timeoutSeconds,
    address: () => webhookAddress(webhook, name, secrets).url,
    bodyOf: (message) =>
      JSON.stringify(format === 'teams' ? teamsMessage(message.text) : jsonMessage(message)),
    send,
  }
}

/**
 * Returns the body of the request to a webhook. The body of the request is described in
 * pipeline/observe/README.md, "Messages".
 */
function jsonMessage({ text, facts }: Message): object {
  return { contract: '1.0', text: escapeForSlack(text), ...facts }
}

/**
 * Signs a message according to the specification Standard Webhooks. A secret that begins with `whsec_` is
 * encoded in base64.
 */
function sign(secret: string, id: string, seconds: string, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
}
