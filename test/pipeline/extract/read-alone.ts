/**
 * Reads the answers `0`, `1` and so on of a server, one after the other, in its own process. It prints the
 * result of each answer: `node read-alone.ts URL COUNT HTTP_OPTIONS`.
 */
import { readFileSync } from 'node:fs'
import { ReadError } from '../../../pipeline/http/read-error.ts'
import { answerReader } from './read-in-memory.ts'

/** The result of one answer, printed as one line of JSON. */
export interface ReadAlone {
  readonly elements?: number
  readonly faults?: readonly string[]
  /** Message of the failed read. */
  readonly failure?: string
  /** Processor time, in milliseconds. */
  readonly ms: number
  /** Peak memory of the process so far. */
  readonly peakBytes: number
}

async function readOne(url: string, path: string, http: Record<string, unknown>) {
  const faults: string[] = []
  const read = answerReader(url, http, ({ fault }) => {
    if (fault !== null) faults.push(`${fault.path}: ${fault.message}`)
  })
  try {
    return { elements: (await read(path)).totals.elements, faults }
  } catch (error) {
    // Any other error ends the process, because it would also end a run.
    if (!(error instanceof ReadError)) throw error
    return { failure: error.message.replace(/; waiting longer .*/, '') }
  }
}

/**
 * Returns the peak memory of this process. On Linux `maxRSS` is wrong, because a process inherits it from its
 * parent.
 */
function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

const [, , url = '', count = '0', http = '{}'] = process.argv
for (let path = 0; path < Number(count); path += 1) {
  const before = process.cpuUsage()
  const came = await readOne(url, String(path), JSON.parse(http))
  const { user, system } = process.cpuUsage(before)
  const line: ReadAlone = { ...came, ms: (user + system) / 1000, peakBytes: peakBytes() }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
