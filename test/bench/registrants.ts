import { fileURLToPath } from 'node:url'
import { startNodeServer } from '../harness/process.ts'
import type { EventShape } from './sample-registrants.ts'

/** A source of registrants in its own process. */
export interface Registrants {
  readonly url: string
  readonly count: number
  /** Serves the original registrants from now on, or those with one in a hundred changed. */
  serve(which: 'original' | 'changed'): Promise<void>
  /** Returns the number of requests for registrants since the start. */
  requests(): Promise<number>
  stop(): Promise<unknown>
}

/**
 * Starts a source of registrants, which answers as Source B and as Source A, and resolves when its data is
 * ready.
 *
 * @param shape number of sessions, and speakers per hundred registrants
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
