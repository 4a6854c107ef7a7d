import type { BaseContext } from '../context/run-context.ts'
import { messageOf } from '../runtime/message-of.ts'
import { makeRunId } from '../runtime/run-id.ts'
import type { TestedReceiver } from '../schemas/setup.ts'
import { testMessage } from './notice-text.ts'
import type { Receiver } from './receiver.ts'
import { receiversOf } from './receivers.ts'

/** Sends a test message to every receiver in the configuration. The test messages are not stored. */
export function testReceivers(context: BaseContext): Promise<readonly TestedReceiver[]> {
  return Promise.all(
    receiversOf(context).map(async (receiver) => {
      const reason = await findFault(context, receiver)
      return { receiver: receiver.name, address: receiver.shown, accepted: reason === null, reason }
    }),
  )
}

/** Returns why a receiver did not accept the test message; null if it did. */
async function findFault({ environment }: BaseContext, receiver: Receiver): Promise<string | null> {
  const nowMs = environment.now()
  const madeAt = new Date(nowMs)
  const noticeId = makeRunId(nowMs, environment.randomBytes(10), null)
  const body = receiver.bodyOf(testMessage(receiver.on, receiver.for, madeAt.toISOString()))
  try {
    const refusals = await receiver.send({ noticeId, body, madeAt }, receiver.timeoutSeconds * 1000)
    return refusals.map(({ name, error }) => `${name}: ${error.message}`).join('; ') || null
  } catch (error) {
    return messageOf(error)
  }
}
