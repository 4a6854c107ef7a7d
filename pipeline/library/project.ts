import type { z } from 'zod'
import { callIo } from '../commands/call-io.ts'
import { codeOf } from '../commands/exit-code.ts'
import { makeProgram, namingGiven } from '../commands/program.ts'
import { messageOf } from '../runtime/message-of.ts'
import { EXIT } from '../runtime/report.ts'
import { mistakesIn } from '../settings/definition.ts'
import { ARGUMENTS, OPEN_OPTIONS, type OpenOptions } from './options.ts'
import type * as results from './results.ts'

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

  constructor(message: string, exitCode: number, cause?: unknown) {
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
 * @throws CommandError if an option is unknown or wrong; also from a call that has no result
 */
export function open(options: OpenOptions): Project {
  requireSound('open', OPEN_OPTIONS, options)
  const call = async <Result>(
    command: keyof Project,
    given: object,
    args: readonly string[],
    own: object,
  ): Promise<Result> => {
    requireSound(command, ARGUMENTS[command], { ...given, options: own })
    const { signal, ...flags }: { readonly signal?: AbortSignal } = own
    signal?.throwIfAborted()
    const ownFlags = Object.entries(flags).flatMap(([key, value]) => {
      const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
      return value === undefined || value === false ? [] : [value === true ? flag : `${flag}=${value}`]
    })
    const global = [
      '--json',
      '--no-input',
      ...(options.insecureHttp === true ? ['--insecure-http'] : []),
      ...(typeof options.config === 'string' ? [`--config=${options.config}`] : []),
    ]
    const all = [...global, command, ...ownFlags, '--', ...args]
    const named = (text: string, to: 'stdout' | 'stderr') => namingGiven(program, all, text, to)
    let exitCode: number = EXIT.ok
    const { io, output } = callIo({
      env: options.env ?? process.env,
      cwd: options.folder ?? process.cwd(),
      onText: (text) => options.onText?.(named(text, 'stderr')),
      cancelled: signal,
      ...(typeof options.config === 'object' ? { configText: JSON.stringify(options.config) } : {}),
    })
    const exit = (code: number) => {
      exitCode = code
    }
    const program = await makeProgram(io, exit, [command])
    try {
      await program.parseAsync(all, { from: 'user' })
    } catch (error) {
      signal?.throwIfAborted()
      const message = named(messageOf(error), 'stderr')
      throw new CommandError(message, codeOf(error), error)
    }
    signal?.throwIfAborted()
    return { exitCode, ...JSON.parse(named(output(), 'stdout')) } as Result
  }
  return {
    check: (ids = [], options = {}) => call('check', { ids }, ids, options),
    plan: (ids = [], options = {}) => call('plan', { ids }, ids, options),
    apply: (id, planHash, options = {}) => call('apply', { id, planHash }, [id, planHash], options),
    run: (ids = [], options = {}) => call('run', { ids }, ids, options),
    runs: (id, options = {}) => call('runs', { id }, id === undefined ? [] : [id], options),
    verify: (folder, options = {}) => call('verify', { folder }, [folder], options),
  }
}

/** Checks arguments that a caller without TypeScript may have misspelt. @throws CommandError with all mistakes */
function requireSound(name: string, schema: z.ZodType, given: unknown): void {
  const mistakes = mistakesIn(schema, given)
  if (mistakes.length > 0) throw new CommandError(`${name}: ${mistakes.join('; ')}`, EXIT.usage)
}
