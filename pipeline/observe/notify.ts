import {
  dropNotice,
  findNewest,
  findTold,
  findUnsent,
  keepNotice,
  markSent,
  type NoticesOf,
  type Window,
} from '../../loaders/ledger/notices.ts'
import type { NoticeState, NotifiedEnd } from '../../sql/tables.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import type { EndedRun, Listener, RunCommand } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import { EXIT, isPinnedRun } from '../runtime/report.ts'
import { makeRunId } from '../runtime/run-id.ts'
import { nextState, troubleIn } from './next-state.ts'
import { messageAbout } from './notice-text.ts'
import type { Outgoing, Receiver } from './receiver.ts'

/** How long a message that could not be sent is sent again after later runs. */
const GIVE_UP_MS = 24 * 3_600_000

const END_OF: ReadonlyMap<number, NotifiedEnd> = new Map([
  [EXIT.held, 'held'],
  [EXIT.failed, 'failed'],
  [EXIT.usage, 'failed'],
  [EXIT.incomplete, 'incomplete'],
  [EXIT.ok, 'finished'],
])

interface Ended {
  readonly ended: EndedRun
  readonly end: NotifiedEnd
  readonly at: string
}

interface Queued extends Outgoing {
  readonly state: NoticeState
  /**
   * False if the database failed when the message was stored. If a message that is not stored cannot be sent,
   * it is lost.
   */
  readonly isStored: boolean
}

/**
 * Tells receivers when the state of an integration begins, changes, lasts another day and is over. Each
 * message is sent at least once: if it was not accepted, it is sent again after later runs of the
 * integration. The commands `plan` and `rollback` send no messages, because the caller of the command sees
 * the result. If an integration is pinned, its runs send messages only about failures.
 */
export function noticeListener(context: Context, receivers: readonly Receiver[]): Listener {
  const { environment } = context
  const commands = new Map<string, RunCommand>()
  const waiting = new Map<string, Ended[]>()
  return {
    emit(integrationId, event) {
      if (event.type === 'run opened') commands.set(integrationId, event.isContinued ? 'run' : event.command)
      if (event.type !== 'run ended') return
      const end = END_OF.get(event.exitCode)
      const command = event.command ?? commands.get(integrationId)
      // A stale plan is not reported: the person who applies it reads the message.
      if (end === undefined || isSeen(command) || event.report.status === 'stale') return
      // The run sent nothing. Therefore the state about which the receiver was told continues.
      if (isPinnedRun(event.report) && end === 'finished') return
      const one = { ended: event, end, at: timestamp(environment) }
      waiting.set(integrationId, [...(waiting.get(integrationId) ?? []), one])
    },
    async settled(integrationId) {
      const ends = waiting.get(integrationId) ?? []
      waiting.delete(integrationId)
      if (ends.length === 0) return
      const concerned = receivers.filter((receiver) => receiver.for?.includes(integrationId) ?? true)
      await Promise.all(concerned.map((receiver) => notify(context, receiver, integrationId, ends)))
    },
  }
}

/** Returns true for the commands `plan` and `rollback`, whose result the caller sees. */
function isSeen(command: RunCommand | undefined): boolean {
  return command === 'plan' || command === 'rollback'
}

/** Sends all messages that one receiver must get after runs of an integration. It never rejects. */
async function notify(
  context: Context,
  receiver: Receiver,
  integrationId: string,
  ends: readonly Ended[],
): Promise<void> {
  const of = { integrationId, receiver: receiver.key }
  const failedAt = (to: string, error: unknown) =>
    context.events.emit(integrationId, { type: 'delivery failed', to, cause: messageOf(error) })
  // If the database fails, the messages cannot be stored. The messages are sent without being stored, because
  // they report this failure.
  const messages = await keep(context, receiver, of, ends).catch((error: unknown) => {
    failedAt(`the database (messages for ${receiver.name})`, error)
    return withoutDatabase(context, receiver, ends)
  })
  const startedMs = performance.now()
  for (const message of messages) {
    const leftMs = receiver.timeoutSeconds * 1000 - (performance.now() - startedMs)
    try {
      const refusals = await sendOne(context, receiver, of, message, Math.max(1, leftMs))
      for (const { name, error } of refusals) failedAt(name, error)
    } catch (error) {
      // The remaining messages to this receiver would wait for the same timeout, so they are not sent now.
      return failedAt(receiver.name, error)
    }
  }
}

async function sendOne(
  { database, environment }: Context,
  receiver: Receiver,
  of: NoticesOf,
  message: Queued,
  budgetMs: number,
) {
  const db = database.kysely
  // The receiver was unreachable for so long that it never got the message about the state. A receiver that
  // does not know the state needs no message that the state is over.
  if (message.state === 'over' && troubleIn(await findTold(db, of)) === null) {
    await dropNotice(db, of, message.noticeId)
    return []
  }
  const refusals = await receiver.send(message, budgetMs)
  if (message.isStored) await markSent(db, of, message.noticeId, timestamp(environment))
  return refusals
}

/** Stores the messages about runs. @returns all messages that must be sent, from the oldest to the newest */
async function keep(
  { database, environment, outputFolder, named }: Context,
  receiver: Receiver,
  of: NoticesOf,
  ends: readonly Ended[],
): Promise<readonly Queued[]> {
  const db = database.kysely
  const within = windowAt(environment.now())
  for (const { ended, end, at } of ends) {
    const told = await findTold(db, of, within)
    const state = nextState(end, receiver.on, told, environment.now())
    if (state === null) continue
    const last = (await findNewest(db, of))?.noticeId ?? null
    await keepNotice(db, of, {
      noticeId: makeRunId(environment.now(), environment.randomBytes(10), last),
      runId: ended.report.run,
      end,
      state,
      body: receiver.bodyOf(
        messageAbout(ended, { end, state, before: troubleIn(told) }, at, outputFolder, named),
      ),
      madeAt: new Date(at),
    })
  }
  const unsent = await findUnsent(db, of, within)
  return unsent.map((notice) => ({ ...notice, isStored: true }))
}

/** Makes the messages without the database, as for a receiver that has received no message before. */
function withoutDatabase(
  { environment, outputFolder, named }: Context,
  receiver: Receiver,
  ends: readonly Ended[],
): readonly Queued[] {
  return ends.flatMap(({ ended, end, at }) => {
    const state = nextState(end, receiver.on, undefined, environment.now())
    if (state === null) return []
    const noticeId = makeRunId(environment.now(), environment.randomBytes(10), null)
    const body = receiver.bodyOf(messageAbout(ended, { end, state, before: null }, at, outputFolder, named))
    return [{ noticeId, state, body, madeAt: new Date(at), isStored: false }]
  })
}

/**
 * Returns the period in which a stored message is still sent. The period is correct even if the clock was set
 * back after the message was stored.
 */
function windowAt(nowMs: number): Window {
  return { after: new Date(nowMs - GIVE_UP_MS), before: new Date(nowMs + GIVE_UP_MS) }
}
