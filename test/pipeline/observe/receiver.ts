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
  /**
   * The answers to the next messages, in order. When these answers are used up, the receiver gives its normal
   * answer.
   */
  answers: Answer[]
}

/**
 * Starts a server on loopback that receives messages like a webhook or a collector.
 *
 * @param answerTo gives the normal answer to a message: its status and text
 */
export async function startReceiver(
  answerTo: (message: Received) => readonly [status: number, text: string] = () => [204, ''],
): Promise<Receiver> {
  const received: Received[] = []
  const receiver = { url: '', received, answers: [] as Answer[] }
  const server = await serve(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const message = { path: request.url ?? '', headers: request.headers, body }
    received.push(message)
    const answer = receiver.answers.shift()
    const [status, text] = typeof answer === 'number' ? [answer, ''] : answerTo(message)
    if (answer === 'hang up') request.socket.destroy()
    else if (answer !== 'wait') response.writeHead(status).end(text)
  })
  onTestFinished(server.close)
  receiver.url = server.url
  return receiver
}
