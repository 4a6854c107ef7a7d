import { Worker } from 'node:worker_threads'

/** Ends work that is stuck. It runs in its own thread, since a query of the embedded engine blocks the main one. */
export interface Watchdog {
  /**
   * Limits the time of the work that follows.
   *
   * @returns a function that takes the limit away
   */
  limit(ms: number): () => void
  stop(): void
}

/** Why work was ended: nothing happened for long, or it passed its limit. */
export type Stuck = 'still' | 'late'

/** Without an answer of this thread and any call of a file for so long, work counts as stuck. A merge of a million records calls files all the time. */
const STILL_SECONDS = 300

/** If this thread cannot be freed within this time, the process is killed. */
const LAST_MS = 5_000

/**
 * Watches this thread.
 *
 * @param calls counts what the work does, in shared memory
 * @param onStuck called on this thread once it is free again; the work cannot be continued, so this must end the process
 * @param lastWords written to standard error if this thread cannot be freed and the process is killed
 * @param stillSeconds how long nothing may happen
 */
export function startWatchdog(
  calls: Int32Array,
  onStuck: (why: Stuck) => void,
  lastWords: string,
  stillSeconds = STILL_SECONDS,
): Watchdog {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const beating = setInterval(() => Atomics.add(beats, 0, 1), 500).unref()
  const given: Given = { beats, calls, stillSeconds, lastMs: LAST_MS, lastWords }
  const worker = new Worker(`(${watch})()`, { eval: true, workerData: given, env: {}, execArgv: [] })
  worker.unref()
  worker.on('message', onStuck)
  // Work goes on unwatched where the system has no thread left.
  worker.on('error', () => undefined)
  return {
    limit(ms) {
      worker.postMessage(ms)
      return () => worker.postMessage(null)
    },
    stop() {
      clearInterval(beating)
      void worker.terminate()
    },
  }
}

interface Given {
  readonly beats: Int32Array
  readonly calls: Int32Array
  readonly stillSeconds: number
  readonly lastMs: number
  readonly lastWords: string
}

/** The thread itself: it has this function alone, and takes from nothing outside. */
function watch(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  const { beats, calls, stillSeconds, lastMs, lastWords }: Given = workerData
  let before = [0, 0]
  let still = 0
  let limit: NodeJS.Timeout | undefined
  parentPort?.on('message', (ms: number | null) => {
    clearTimeout(limit)
    if (ms !== null) limit = setTimeout(() => end('late'), ms)
  })
  // Counted in steps, so that a process that was suspended is not taken for one that is stuck.
  const watching = setInterval(() => {
    const now = [Atomics.load(beats, 0), Atomics.load(calls, 0)]
    still = now.every((count, index) => count === before[index]) ? still + 1 : 0
    before = now
    if (still >= stillSeconds) end('still')
  }, 1_000)

  function end(why: Stuck): void {
    clearInterval(watching)
    clearTimeout(limit)
    parentPort?.postMessage(why)
    // The other thread leaves its query, and takes the message.
    const { Session } = process.getBuiltinModule('node:inspector')
    const session = new Session()
    session.connectToMainThread()
    session.post('Runtime.terminateExecution', () => session.disconnect())
    setTimeout(() => {
      process.getBuiltinModule('node:fs').writeSync(2, lastWords)
      process.kill(process.pid, 'SIGKILL')
    }, lastMs)
  }
}
