import type { IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import { serve } from '../../harness/loopback.ts'

/** A message that came in. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Describes what the receiver does with a message: a status to answer, to hang up without one, or to let wait for ever. */
export type Answer = number | 'hang up' | 'wait'

export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** Answers in their order; after the last, 204. */
  answers: Answer[]
}

/** Takes messages on loopback, as a webhook or a collector does. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const receiver = { url: '', received, answers: [] as Answer[] }
  const server = await serve(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    received.push({ path: request.url ?? '', headers: request.headers, body })
    const answer = receiver.answers.shift() ?? 204
    if (answer === 'hang up') request.socket.destroy()
    else if (answer !== 'wait') response.writeHead(answer).end()
  })
  onTestFinished(server.close)
  receiver.url = server.url
  return receiver
}
