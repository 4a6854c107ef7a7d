import { createHmac } from 'node:crypto'
import { findUnsent, keepNotice, markSent, type Notice } from '../../loaders/notices.ts'
import type { ToldEnd } from '../../sql/tables.ts'
import { resolveSecret, type WebhookConfig } from '../config.ts'
import { EXIT } from '../report.ts'
import { type Context, timestamp } from '../run-context.ts'
import { addressOf } from './address.ts'
import { deliver } from './deliver.ts'
import type { Listener } from './tell-all.ts'
import type { EndedRun } from './told.ts'

/** A webhook that cannot be reached is told for so long after later runs; then nobody waits for it any more. */
const GIVE_UP_MS = 24 * 3_600_000

const END_OF: ReadonlyMap<number, ToldEnd> = new Map([
  [EXIT.held, 'held'],
  [EXIT.failed, 'failed'],
  [EXIT.usage, 'failed'],
  [EXIT.incomplete, 'incomplete'],
  [EXIT.ok, 'finished'],
])

/** A message, of a run or of a run that could not be opened. */
interface Message extends Omit<Notice, 'runId'> {
  readonly runId: string | null
}

/**
 * Tells a webhook how runs end: at least once, and once for each end of a run as far as it answers. What it did not take is
 * sent again after the next run of the integration.
 *
 * `plan` tells nobody: whoever asked for it looks at its outcome.
 */
export function tellWebhook(context: Context, webhook: WebhookConfig): Listener {
  const { database, environment, progress, secrets } = context
  const db = database.kysely
  const onlyPlanned = new Set<string>()
  const waiting = new Map<string, Message[]>()

  async function post({ body, end, integrationId, runId }: Message, budgetMs: number): Promise<void> {
    const seconds = String(Math.floor(environment.now() / 1000))
    const id = `${runId ?? `${integrationId}-${environment.now()}`}.${end}`
    const secret =
      webhook.secret === undefined ? null : resolveSecret(webhook.secret, secrets, 'webhook.secret').reveal()
    const headers = {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      ...(secret === null ? {} : { 'webhook-signature': sign(secret, id, seconds, body) }),
    }
    await deliver(context, { url: addressOf(webhook.url, 'webhook.url', secrets), headers, body }, budgetMs)
  }

  /** Keeps what can be kept. @returns what there is to send */
  async function keep(integrationId: string, messages: readonly Message[]): Promise<readonly Message[]> {
    for (const message of messages) {
      if (isNotice(message)) await keepNotice(db, message, timestamp(environment))
    }
    const since = new Date(environment.now() - GIVE_UP_MS)
    const unsent = await findUnsent(db, integrationId, since)
    return [...unsent, ...messages.filter((message) => !isNotice(message))]
  }

  async function tell(integrationId: string): Promise<void> {
    const messages = waiting.get(integrationId) ?? []
    waiting.delete(integrationId)
    const untold = (error: unknown) =>
      progress.untold(integrationId, 'the webhook', error instanceof Error ? error.message : String(error))
    // Without a database there is all the more to tell.
    const toSend = await keep(integrationId, messages).catch((error: unknown) => {
      untold(error)
      return messages
    })
    const startedMs = performance.now()
    for (const message of toSend) {
      const leftMs = webhook.timeoutSeconds * 1000 - (performance.now() - startedMs)
      try {
        await post(message, Math.max(1, leftMs))
        if (isNotice(message)) await markSent(db, message, timestamp(environment))
      } catch (error) {
        // What follows would wait as long.
        return untold(error)
      }
    }
  }

  return {
    opened(integration, { command, isContinued }) {
      if (command === 'plan' && !isContinued) onlyPlanned.add(integration)
      else onlyPlanned.delete(integration)
    },
    ended(integrationId, run) {
      const end = END_OF.get(run.exitCode)
      // Who applies a plan by its hash is there to read that it is not current.
      const isOfInterest = run.report.status !== 'stale' && !onlyPlanned.has(integrationId)
      if (end === undefined || !webhook.on.includes(end) || !isOfInterest) return
      const { run: runId } = run.report
      const body = bodyOf(run, end, timestamp(environment))
      waiting.set(integrationId, [...(waiting.get(integrationId) ?? []), { integrationId, runId, end, body }])
    },
    settled: tell,
  }
}

function isNotice(message: Message): message is Notice {
  return message.runId !== null
}

/** What is sent. Source: README.md, "The webhook". */
function bodyOf({ report, exitCode, meaning, todo }: EndedRun, end: ToldEnd, at: string): string {
  const { integration, run, status, planHash, held, output, error = null } = report
  return JSON.stringify({
    contract: '1.0',
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
  })
}

/** As Standard Webhooks has it: over id, second and body; a secret that begins with `whsec_` is base64. */
function sign(secret: string, id: string, seconds: string, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
}
