import { callIo } from '../commands/call-io.ts'
import { codeOf } from '../commands/exit-code.ts'
import { makeProgram } from '../commands/program.ts'
import { messageOf } from '../runtime/message-of.ts'
import { EXIT } from '../runtime/report.ts'
import type * as results from './results.ts'

/** Configuration, folder and environment of a project. */
export interface OpenOptions {
  /** A configuration file, or its content as an object. */
  readonly config: string | object
  /**
   * Folder from which relative paths are resolved; default: the working directory. Paths in a configuration
   * file are resolved from the folder of that file.
   */
  readonly folder?: string
  /** Environment variables with secrets. Default: the environment variables of the process. */
  readonly env?: NodeJS.ProcessEnv
  readonly insecureHttp?: boolean
  /** Called with each text that the command would print on standard error. A text may have several lines. */
  readonly onText?: (text: string) => void
}

/**
 * A configuration whose commands can be called as functions. Each call opens the database and closes it, as
 * the command does.
 */
export interface Project {
  /** Checks integrations. @param ids integrations to check; default: all integrations */
  check(ids?: readonly string[], options?: Pick<results.RunOptions, 'signal'>): Promise<results.CheckResult>
  plan(ids?: readonly string[], options?: results.PlanOptions): Promise<results.PlanResult>
  /** Applies exactly the stored plan with this hash, even if the plan is held. */
  apply(id: string, planHash: string, options?: results.ApplyOptions): Promise<results.RunResult>
  run(ids?: readonly string[], options?: results.RunOptions): Promise<results.RunResult>
  /** Lists runs. @param id integration whose runs are listed; left out: the last state of each integration */
  runs(id?: string, options?: { readonly limit?: number }): Promise<results.RunsResult>
  /**
   * Verifies a pack, or all packs of an integration, without a database.
   *
   * @param publicKey file with the Ed25519 public key in PEM
   */
  verify(folder: string, options?: { readonly publicKey?: string }): Promise<results.VerifyResult>
}

/**
 * Error of a command that could not do its work, for example because the configuration is wrong or the
 * database cannot be opened.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode: number, cause: unknown) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

/**
 * Opens a project, that is, the commands of one configuration. Nothing is read yet. Mistakes in the
 * configuration are reported by the first call that needs it.
 *
 * Every call resolves to the exit code of the command and its output with `--json`, even if a run failed or
 * is held.
 *
 * @throws CommandError from a call that has no result
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
    const { io, output } = callIo({
      env: options.env ?? process.env,
      cwd: options.folder ?? process.cwd(),
      onText: options.onText,
      cancelled: signal,
      ...(typeof options.config === 'object' ? { configText: JSON.stringify(options.config) } : {}),
    })
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
    return { exitCode, ...JSON.parse(output()) } as Result
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
