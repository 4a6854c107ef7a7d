import { Worker } from 'node:worker_threads'

/**
 * Ends work that is stuck. It runs in its own thread, because a query of the embedded engine blocks the main
 * thread.
 */
export interface Watchdog {
  /**
   * Limits the time of the following work.
   *
   * @returns a function that removes the limit
   */
  limit(ms: number): () => void
  stop(): void
}

/**
 * Reason why work was ended. `still`: nothing happened for too long. `late`: it took longer than its limit.
 */
export type Stuck = 'still' | 'late'

/**
 * Work counts as stuck if for this time the thread does not respond and makes no file system call. Even a
 * merge of a million records makes such calls all the time.
 */
const STILL_SECONDS = 300

/** If this thread cannot be freed within this time, the process is killed. */
const LAST_MS = 5_000

/**
 * Watches this thread.
 *
 * @param calls counter in shared memory that increases while the work makes progress
 * @param onStuck called on this thread after it is free again; the work cannot be continued, so this function
 * must end the process
 * @param lastWords written to standard error if this thread cannot be freed and the process is killed
 * @param stillSeconds longest time without progress
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
  // If the system cannot start a thread, the work continues without a watchdog.
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

/**
 * Code of the watchdog thread. The thread gets only the text of this function, so it must not use names from
 * outside.
 */
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
  // The time is counted in steps, so that a suspended process does not count as stuck.
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
    // This interrupts the query of the main thread, so that it receives the message.
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
