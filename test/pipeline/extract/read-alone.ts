/**
 * Reads the answers `0`, `1` and so on of a server, one after the other, in a separate process. The result of
 * each answer is printed. Usage: `node read-alone.ts URL COUNT HTTP_OPTIONS`.
 */
import { readFileSync } from 'node:fs'
import { ReadError } from '../../../pipeline/http/read-error.ts'
import { answerReader } from './read-in-memory.ts'

/** The result of one answer, printed as one line of JSON. */
export interface ReadAlone {
  readonly elements?: number
  readonly faults?: readonly string[]
  /** The error message of the failed read. */
  readonly failure?: string
  /** Processor time, in milliseconds. */
  readonly ms: number
  /** The largest amount of memory that the process has used until now. */
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
    // An error that is not a failed read ends this process, as it would end a run.
    if (!(error instanceof ReadError)) throw error
    return { failure: error.message.replace(/; waiting longer .*/, '') }
  }
}

/**
 * Returns the peak memory of this process. The value `maxRSS` is wrong on Linux, because a process inherits
 * it from its parent.
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
