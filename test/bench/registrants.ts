import { fileURLToPath } from 'node:url'
import { startNodeServer } from '../harness/process.ts'
import type { EventShape } from './sample-registrants.ts'

/** A source of registrants in its own process. */
export interface Registrants {
  readonly url: string
  readonly count: number
  /** Serves the registrants as they were, or with one in a hundred changed, from now on. */
  serve(which: 'original' | 'changed'): Promise<void>
  /** Requests for registrants since it was started. */
  requests(): Promise<number>
  stop(): Promise<unknown>
}

/**
 * Starts the source of registrants, which answers as Source B and as Source A, and resolves when it has prepared what it serves.
 *
 * @param shape sessions, and how many of a hundred registrants are speakers
 */
export async function startRegistrants(
  count: number,
  form: 'array' | 'pages',
  shape: EventShape = { sessions: 200, speakersInHundred: 2 },
): Promise<Registrants> {
  const script = fileURLToPath(new URL('./source-server.ts', import.meta.url))
  const args = [count, form, shape.sessions, shape.speakersInHundred].map(String)
  const { firstLine: url, kill, ended } = await startNodeServer([script, ...args])
  async function control(what: string): Promise<string> {
    const answer = await fetch(`${url}/control/${what}`, { method: 'POST' })
    if (!answer.ok) throw new Error(`the source of registrants answers ${answer.status} to ${what}`)
    return answer.text()
  }
  return {
    url,
    count,
    serve: async (which) => void (await control(`serve/${which}`)),
    requests: async () => Number(await control('requests')),
    stop() {
      kill('SIGTERM')
      return ended
    },
  }
}
