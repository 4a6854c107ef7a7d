import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ControlAnswer, type ControlName, controlAnswers } from './control-answers.ts'
import { type SamplePlatformOptions, samplePlatformDefaults } from './options.ts'

/** A sample platform that runs in a process of its own. */
export interface SamplePlatform {
  /** without a slash at the end */
  readonly url: string
  readonly token: string
  readonly eventId: string
  readonly pid: number | undefined
  /** What it said so far: sentences without personal values. */
  readonly errors: readonly string[]
  /** Resolves when the process is gone, however that came about. */
  readonly gone: Promise<void>
  /** Ends it and waits until it is gone. */
  close(): Promise<void>
  /** Sends it a signal and waits until it is gone. Everything that was acknowledged is there after a new start. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Asks `GET /control/NAME`, or with a body `POST /control/NAME`. */
  control<Name extends ControlName>(name: Name, body?: unknown): Promise<ControlAnswer<Name>>
}

/** Starts a sample platform and resolves when it listens. It ends with this process at the latest. */
export async function startSamplePlatform(options: SamplePlatformOptions): Promise<SamplePlatform> {
  const { token, eventId, ...settings } = { ...samplePlatformDefaults, ...options }
  const flags = {
    '--storage': settings.storage,
    '--port': settings.port,
    '--token': token,
    '--event': eventId,
    '--page-size': settings.pageSize,
    '--max-body-bytes': settings.maxBodyBytes,
  }
  // The `=` keeps a value that begins with a dash from being taken for an option.
  const given = Object.entries(flags).map(([flag, value]) => `${flag}=${value}`)
  if (!settings.control) given.push('--no-control')
  const child = spawn(process.execPath, [mainFile(), ...given], { stdio: ['pipe', 'pipe', 'pipe'] })
  const gone = goneOf(child)
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line))
  // A platform that died in between is not for its parent to die of.
  child.stdin.on('error', () => undefined)

  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, 'line'), gone])
  if (first === undefined) throw new Error(`the sample platform did not start: ${errors.join('\n')}`)
  const { url }: { readonly url: string } = JSON.parse(String(first[0]))

  async function kill(signal: NodeJS.Signals): Promise<void> {
    child.kill(signal)
    await gone
  }
  return {
    url,
    token,
    eventId,
    pid: child.pid,
    errors,
    gone,
    kill,
    close: () => kill('SIGTERM'),
    async control(name, body) {
      const headers = { authorization: `Bearer ${token}` }
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
      const response = await fetch(`${url}/control/${name}`, { ...init, headers })
      if (!response.ok) throw new Error(`the sample platform answers ${response.status} to control/${name}`)
      return controlAnswers[name].parse(await response.json()) as ControlAnswer<typeof name>
    },
  }
}

/** `main.ts` in the sources, `main.js` where they are compiled. */
function mainFile(): string {
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
  return fileURLToPath(new URL(`./main${ending}`, import.meta.url))
}

async function goneOf(child: ChildProcess): Promise<void> {
  // Not `exit`: what it told may still be in the pipes then.
  await once(child, 'close')
}
