import { Readable, Writable } from 'node:stream'
import { codeOf } from '../commands/exit-code.ts'
import type { CommandIo } from '../commands/io.ts'
import { makeProgram } from '../commands/program.ts'
import { messageOf } from '../runtime/message-of.ts'
import { EXIT } from '../runtime/report.ts'
import type * as results from './results.ts'

/** Folder of a project, and what it may use. */
export interface OpenOptions {
  /** A configuration file, or what would be in it. */
  readonly config: string | object
  /** Folder from which relative paths start; of a file's own paths, its folder. Left out: the working directory. */
  readonly folder?: string
  /** Source of secrets; left out: the variables of the process. */
  readonly env?: NodeJS.ProcessEnv
  readonly insecureHttp?: boolean
  /** Called with what the command would print for people on standard error, line by line. */
  readonly onText?: (text: string) => void
}

/** A configuration, ready to be worked with. Each call opens the database and closes it, as the command does. */
export interface Project {
  /** @param ids left out: every integration */
  check(ids?: readonly string[], options?: Pick<results.RunOptions, 'signal'>): Promise<results.CheckResult>
  plan(ids?: readonly string[], options?: results.PlanOptions): Promise<results.PlanResult>
  /** Applies a stored plan, held or not, and no other. */
  apply(id: string, planHash: string, options?: results.ApplyOptions): Promise<results.RunResult>
  run(ids?: readonly string[], options?: results.RunOptions): Promise<results.RunResult>
  /** @param id left out: the last state of each integration */
  runs(id?: string, options?: { readonly limit?: number }): Promise<results.RunsResult>
  /**
   * Checks a pack, or all packs of an integration, without a database.
   *
   * @param publicKey file of the Ed25519 public key in PEM
   */
  verify(folder: string, options?: { readonly publicKey?: string }): Promise<results.VerifyResult>
}

/** A command could not do its work: the configuration is wrong, the database cannot be opened, or the like. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode: number, cause: unknown) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

/**
 * Opens a project. Nothing is read yet: the first call that needs the configuration reports what is wrong with it.
 *
 * Every call resolves to what the command prints with `--json` and its exit code, also where a run failed or is held.
 *
 * @throws CommandError, by every call, if there is nothing to resolve to
 */
export function open(options: OpenOptions): Project {
  const call = async <Result>(
    command: string,
    flags: object,
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<Result> => {
    signal?.throwIfAborted()
    const given = Object.entries(flags).flatMap(([key, value]) => {
      const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
      return value === undefined || value === false ? [] : [value === true ? flag : `${flag}=${value}`]
    })
    const global = [
      '--json',
      '--no-input',
      ...(options.insecureHttp === true ? ['--insecure-http'] : []),
      ...(typeof options.config === 'string' ? [`--config=${options.config}`] : []),
    ]
    let exitCode: number = EXIT.ok
    let output = ''
    const io: CommandIo = {
      stdin: Readable.from([]),
      stdout: writableTo((text) => {
        output += text
      }),
      stderr: writableTo(options.onText),
      env: options.env ?? process.env,
      cwd: options.folder ?? process.cwd(),
      // A signal of the process is the business of who calls.
      signals: { onFirst: () => undefined, end: () => undefined, endAtOnce: () => undefined },
      ...(signal === undefined ? {} : { cancelled: signal }),
      ...(typeof options.config === 'object' ? { configText: JSON.stringify(options.config) } : {}),
    }
    const exit = (code: number) => {
      exitCode = code
    }
    const program = await makeProgram(io, exit, [command])
    try {
      await program.parseAsync([...global, command, ...given, '--', ...args], { from: 'user' })
    } catch (error) {
      signal?.throwIfAborted()
      const message = messageOf(error)
      throw new CommandError(message, codeOf(error), error)
    }
    signal?.throwIfAborted()
    return { exitCode, ...JSON.parse(output) } as Result
  }
  return {
    check: (ids = [], { signal } = {}) => call('check', {}, ids, signal),
    plan: (ids = [], { signal, ...flags } = {}) => call('plan', flags, ids, signal),
    apply: (id, planHash, { signal, ...flags } = {}) => call('apply', flags, [id, planHash], signal),
    run: (ids = [], { signal, ...flags } = {}) => call('run', flags, ids, signal),
    runs: (id, flags = {}) => call('runs', flags, id === undefined ? [] : [id]),
    verify: (folder, flags = {}) => call('verify', flags, [folder]),
  }
}

function writableTo(onText?: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      onText?.(text)
      done()
    },
  })
}
