import type { IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import { serve } from '../../harness/loopback.ts'

/** A message that the receiver got. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/**
 * How the receiver reacts to a message: it answers with a status, closes the connection, or never answers.
 */
export type Answer = number | 'hang up' | 'wait'

export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** Answers to the next messages, in order; after the last one, the receiver answers 204. */
  answers: Answer[]
}

/** Starts a server on loopback that receives messages like a webhook or a collector. */
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
