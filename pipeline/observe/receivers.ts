import type { BaseContext } from '../context/run-context.ts'
import { mailReceiver } from './mail.ts'
import type { Receiver } from './receiver.ts'
import { webhookReceiver } from './webhook.ts'

/** Returns the receivers in the configuration: the webhooks in their order, and then the mail. */
export function receiversOf(context: BaseContext): readonly Receiver[] {
  const { webhook, mail } = context.config
  const webhooks = [webhook ?? []].flat()
  const isList = Array.isArray(webhook)
  return [
    ...webhooks.map((one, index) => webhookReceiver(context, one, isList ? `webhook[${index}]` : 'webhook')),
    ...(mail === undefined ? [] : [mailReceiver(context, mail)]),
  ]
}
