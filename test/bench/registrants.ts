import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { RequestWindow } from './request-window.ts'

/** A source of registrants in a process of its own. */
export interface Registrants {
  readonly url: string
  readonly count: number
  /** Serves the registrants as they were, or with one in a hundred changed, from now on. */
  serve(which: 'original' | 'changed'): Promise<void>
  /** Requests for lists so far, and those of them that were answered with 429. */
  requests(): Promise<{ readonly made: number; readonly refused: number }>
  stop(): void
}

export interface RegistrantsOptions {
  /** Waited before each answer. */
  readonly latencyMs?: number
  /** As many requests for lists as one likes unless told. */
  readonly window?: RequestWindow
}

/** Starts the source of registrants and resolves when it has prepared what it serves. */
export async function startRegistrants(
  count: number,
  form: 'array' | 'pages',
  { latencyMs = 0, window }: RegistrantsOptions = {},
): Promise<Registrants> {
  const script = new URL('./source-server.ts', import.meta.url).pathname
  const args = [script, String(count), form, '--latency', String(latencyMs)]
  if (window !== undefined)
    args.push('--requests', String(window.requests), '--window', String(window.windowMs))
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => null)])
  if (first === null) throw new Error('the source of registrants did not start')
  const url = String(first[0])

  async function control(path: string) {
    const answer = await fetch(`${url}/control/${path}`, { method: 'POST' })
    if (!answer.ok) throw new Error(`the source of registrants answers ${answer.status} to ${path}`)
    return (await answer.json()) as { readonly made: number; readonly refused: number }
  }
  return {
    url,
    count,
    serve: async (which) => void (await control(`serve/${which}`)),
    requests: () => control('requests'),
    stop: () => void child.kill(),
  }
}
