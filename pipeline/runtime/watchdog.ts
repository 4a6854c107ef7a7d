import { Worker } from 'node:worker_threads'

/**
 * Ends work that is stuck or takes too long. The watchdog runs in its own thread, because a query of the
 * embedded database blocks the main thread.
 */
export interface Watchdog {
  /** Sets a time limit for the work that follows. @returns a function that removes the limit */
  limit(ms: number): () => void
  stop(): void
}

/**
 * Reason why work was ended. `still` means that no progress was made for too long. `late` means that the work
 * exceeded its time limit.
 */
export type Stuck = 'still' | 'late'

/**
 * Seconds after which work is called stuck, if the thread does not respond and makes no file system call.
 * Even a merge of a million records makes such calls continuously.
 */
const STILL_SECONDS = 300

/** If the main thread cannot be interrupted within this time, the process is killed. */
const LAST_MS = 5_000

/**
 * Starts to watch the thread that calls this function.
 *
 * @param calls counter in shared memory that rises while the work makes progress
 * @param onStuck called on the watched thread after it was interrupted; it must end the process, because the
 *   work cannot be continued
 * @param lastWords text for standard error if the thread cannot be interrupted and the process is killed
 * @param stillSeconds maximum time without progress
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
  // If the operating system cannot start a thread, the work continues without a watchdog.
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
 * The code that the watchdog thread runs. The thread receives only the source text of this function, so the
 * function must not use names from outside.
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
  // The time is counted in timer steps, so that a suspended process is not treated as stuck.
  const watching = setInterval(() => {
    const now = [Atomics.load(beats, 0), Atomics.load(calls, 0)]
    still = now.every((count, index) => count === before[index]) ? still + 1 : 0
    before = now
    if (still >= stillSeconds) end('still')
  }, 1_000)

  function end(why: Stuck): void {
    clearInterval(watching)
    clearTimeout(limit)
    // The inspector interrupts the query on the main thread, so that the thread can receive the message. If the
    // process ended before the inspector disconnects, Node would write a line about that to standard error.
    const { Session } = process.getBuiltinModule('node:inspector')
    const session = new Session()
    session.connectToMainThread()
    session.post('Runtime.terminateExecution', () => {
      session.disconnect()
      parentPort?.postMessage(why)
    })
    setTimeout(() => {
      process.getBuiltinModule('node:fs').writeSync(2, lastWords)
      process.kill(process.pid, 'SIGKILL')
    }, lastMs)
  }
}
