import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { EngineStoppedError } from '../../sql/database.ts'
import { describeFree } from '../runtime/disk-room.ts'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'

/** The PGlite engine of an embedded database on disk. */
export interface Engine {
  readonly pglite: PGlite
  /**
   * Counter of the engine's file system calls. The counter rises while the engine works, and stops if the
   * engine is stuck.
   */
  readonly calls: Int32Array
  /** Returns the error that stopped the engine; null while it works. */
  stopped(): EngineStoppedError | null
}

/**
 * Opens PGlite. A PostgreSQL server restarts after some faults, for example if the disk of its log is full.
 * After such a fault, PGlite throws an error at this query and at every later query. Without the wrapped
 * functions, PGlite would call the stopped engine in an endless loop.
 */
export async function openEngine(directory: string, options: PGliteOptions = {}): Promise<Engine> {
  const files = new WatchedFiles(directory)
  const pglite = new WatchedPGlite(files, options)
  // The file system of the engine can throw values that are not an Error.
  await pglite.waitReady.catch((cause: unknown) => {
    throw cause instanceof Error ? cause : new Error(files.describeDisk(), { cause })
  })
  return { pglite, calls: files.calls, stopped: () => files.stopped }
}

/** If a statement fails because of a disk fault, adds the fault to the error message. */
class WatchedPGlite extends PGlite {
  private readonly files: WatchedFiles

  constructor(files: WatchedFiles, options: PGliteOptions) {
    super({ ...options, fs: files, onStderr: (line) => files.hear(line) })
    this.files = files
  }

  override execProtocolStream(...given: Parameters<PGlite['execProtocolStream']>) {
    return super.execProtocolStream(...given).catch((error: unknown) => {
      const { code, message } = Object(error)
      if (OF_DISKS.has(code))
        Object.assign(Object(error), { message: `${message}; ${this.files.describeDisk()}` })
      throw error
    })
  }
}

/** SQLSTATE error codes for a full disk and for an I/O error. */
const OF_DISKS: ReadonlySet<unknown> = new Set(['53100', '58030'])

type Module = PGlite['Module']

/**
 * All exported functions of the engine that a query calls. After a fault PGlite calls `stackRestore` first.
 * An error that this function throws ends the endless loop.
 */
const CALLED_BY_QUERIES = [
  'stackRestore',
  '_PostgresMainLoopOnce',
  '_PostgresMainLongJmp',
  '_PostgresSendReadyForQueryIfNecessary',
  '_pgl_pq_flush',
  '_pq_buffer_remaining_data',
] as const

/**
 * Returns true if a value was thrown by a failed statement. The engine can continue only after such a value
 * was thrown.
 */
const isLongJump = (thrown: unknown): boolean => Reflect.get(Object(thrown), 'status') === 100

/** Error codes of disk faults. The engine expects other codes, such as ENOENT, in normal operation. */
const DISK_FAULTS: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'])

class WatchedFiles extends NodeFS {
  stopped: EngineStoppedError | null = null
  readonly calls = new Int32Array(new SharedArrayBuffer(4))
  private diskFault: string | null = null
  private lastWords = ''

  override init(pglite: PGlite, options: Partial<Module>) {
    const preRun = [...(options.preRun ?? []), (module: Module) => this.watch(module)]
    return super.init(pglite, { ...options, preRun })
  }

  /**
   * Stores the last PANIC or FATAL message of the engine.
   *
   * @returns false, because the caller must not handle the line further
   */
  hear(line: string): boolean {
    this.lastWords = /(?:PANIC|FATAL): +(.*)/.exec(line)?.[1] ?? this.lastWords
    return false
  }

  describeDisk(): string {
    const { rootDir, diskFault } = this
    return `the disk of ${rootDir} cannot be written${describeCode(diskFault)}${describeFree(rootDir)}; free some space there and run again`
  }

  private watch(module: Module): void {
    const files = module.NODEFS as unknown as { tryFSOperation: (work: () => unknown) => unknown }
    const { tryFSOperation } = files
    files.tryFSOperation = (work) =>
      tryFSOperation(() => {
        Atomics.add(this.calls, 0, 1)
        try {
          return work()
        } catch (error) {
          const code = systemCodeOf(error)
          if (code !== null && DISK_FAULTS.has(code)) this.diskFault = code
          throw error
        }
      })
    for (const name of CALLED_BY_QUERIES) {
      const call = module[name] as (...given: number[]) => number
      Object.assign(module, {
        [name]: (...given: number[]) => {
          if (this.stopped !== null) throw this.stopped
          try {
            return call(...given)
          } catch (error) {
            if (!isLongJump(error)) this.stopped = this.endOf(error)
            throw error
          }
        },
      })
    }
  }

  private endOf(cause: unknown): EngineStoppedError {
    const said = this.lastWords || (cause instanceof Error ? cause.message : 'it gives no reason')
    const why = this.diskFault === null ? `${said}; run again` : this.describeDisk()
    return new EngineStoppedError(`the embedded database stopped: ${why}`, { cause })
  }
}
