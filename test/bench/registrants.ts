import { fileURLToPath } from 'node:url'
import { startNodeServer } from '../harness/process.ts'
import type { EventShape } from './sample-registrants.ts'

/** A source of registrants in its own process. */
export interface Registrants {
  readonly url: string
  readonly count: number
  /**
   * Changes which registrants are served from now on: the originals, or a list in which one in a hundred is
   * changed.
   */
  serve(which: 'original' | 'changed'): Promise<void>
  /** Returns how many requests for registrants the source has received since its start. */
  requests(): Promise<number>
  stop(): Promise<unknown>
}

/**
 * Starts a process that serves registrants as Source B and the same event as Source A. Resolves when the data
 * is ready.
 *
 * @param shape the number of sessions, and the number of speakers per hundred registrants
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
