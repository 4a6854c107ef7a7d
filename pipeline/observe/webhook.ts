import { createHmac } from 'node:crypto'
import { findUnsent, keepNotice, markSent, type Notice } from '../../loaders/ledger/notices.ts'
import type { NotifiedEnd } from '../../sql/tables.ts'
import type { WebhookConfig } from '../config/config.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import type { EndedRun, Listener } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import { EXIT } from '../runtime/report.ts'
import { deliver, webhookAddress } from './deliver.ts'
import { escapeForSlack, noticeText, teamsMessage } from './notice-text.ts'

/** A message that could not be sent is sent again after later runs during this time. */
const GIVE_UP_MS = 24 * 3_600_000

const END_OF: ReadonlyMap<number, NotifiedEnd> = new Map([
  [EXIT.held, 'held'],
  [EXIT.failed, 'failed'],
  [EXIT.usage, 'failed'],
  [EXIT.incomplete, 'incomplete'],
  [EXIT.ok, 'finished'],
])

/** A message for the webhook. `runId` is null if the run could not be opened. */
type Message = Omit<Notice, 'runId'> & { readonly runId: string | null }

/**
 * Sends messages about ended runs to a webhook, at least once. A message that was not accepted is sent again
 * after the next run of the integration. Nothing is sent for `plan`, because its caller sees the result.
 */
export function webhookListener(context: Context, webhook: WebhookConfig): Listener {
  const { database, environment, events, secrets } = context
  const db = database.kysely
  const onlyPlanned = new Set<string>()
  const waiting = new Map<string, Message[]>()

  async function post({ body, end, integrationId, runId }: Message, budgetMs: number): Promise<void> {
    const seconds = String(Math.floor(environment.now() / 1000))
    const id = `${runId ?? `${integrationId}-${environment.now()}`}.${end}`
    const { url, secret } = webhookAddress(webhook, secrets)
    const headers = {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      ...(secret === null ? {} : { 'webhook-signature': sign(secret, id, seconds, body) }),
    }
    await deliver(context, { url, addressKey: 'webhook.url', headers, body }, budgetMs)
  }

  /**
   * Stores the messages of runs.
   *
   * @returns all messages that must be sent
   */
  async function keep(integrationId: string, messages: readonly Message[]): Promise<readonly Message[]> {
    for (const message of messages) {
      if (isNotice(message)) await keepNotice(db, message, timestamp(environment))
    }
    const since = new Date(environment.now() - GIVE_UP_MS)
    const unsent = await findUnsent(db, integrationId, since)
    return [...unsent, ...messages.filter((message) => !isNotice(message))]
  }

  async function send(integrationId: string): Promise<void> {
    const messages = waiting.get(integrationId) ?? []
    waiting.delete(integrationId)
    const failedAt = (to: string) => (error: unknown) =>
      events.emit(integrationId, { type: 'delivery failed', to, cause: messageOf(error) })
    // If the database fails, the message about the failure is sent nevertheless.
    const toSend = await keep(integrationId, messages).catch((error: unknown) => {
      failedAt('the database (messages for the webhook)')(error)
      return messages
    })
    const startedMs = performance.now()
    for (const message of toSend) {
      const leftMs = webhook.timeoutSeconds * 1000 - (performance.now() - startedMs)
      try {
        await post(message, Math.max(1, leftMs))
        if (isNotice(message)) await markSent(db, message, timestamp(environment))
      } catch (error) {
        // The other messages would only wait for the same timeout.
        return failedAt('the webhook')(error)
      }
    }
  }

  return {
    emit(integrationId, event) {
      if (event.type === 'run opened') {
        if (event.command === 'plan' && !event.isContinued) onlyPlanned.add(integrationId)
        else onlyPlanned.delete(integrationId)
      }
      if (event.type !== 'run ended') return
      const end = END_OF.get(event.exitCode)
      // A stale plan is not reported: the person who applies it reads the message.
      const isPlan = onlyPlanned.has(integrationId) || event.command === 'plan'
      const isOfInterest = event.report.status !== 'stale' && !isPlan
      const isFor = webhook.for?.includes(integrationId) ?? true
      if (end === undefined || !webhook.on.includes(end) || !isOfInterest || !isFor) return
      const { run: runId } = event.report
      const at = timestamp(environment)
      const body = JSON.stringify(
        webhook.format === 'teams' ? teamsMessage(noticeText(event)) : bodyOf(event, end, at),
      )
      waiting.set(integrationId, [...(waiting.get(integrationId) ?? []), { integrationId, runId, end, body }])
    },
    settled: send,
  }
}

function isNotice(message: Message): message is Notice {
  return message.runId !== null
}

/** Returns the body of the request. Source: pipeline/observe/README.md, "The webhook". */
function bodyOf(ended: EndedRun, end: NotifiedEnd, at: string): object {
  const { report, exitCode, meaning, todo } = ended
  const { integration, run, status, planHash, held, output, error = null, notes = [] } = report
  return {
    contract: '1.0',
    text: escapeForSlack(noticeText(ended)),
    end,
    at,
    integration,
    run,
    status,
    exitCode,
    meaning,
    guard: held?.guard ?? null,
    detail: held?.detail ?? null,
    error,
    planHash,
    todo,
    output,
    ...(notes.length === 0 ? {} : { notes }),
  }
}

/** Signs a message according to Standard Webhooks. A secret that begins with `whsec_` is base64. */
function sign(secret: string, id: string, seconds: string, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
}
