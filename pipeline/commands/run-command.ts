import { CommanderError } from 'commander'
import { EXIT } from '../runtime/report.ts'
import { type CommandIo, guarded } from './io.ts'
import { makeProgram } from './program.ts'

/** Runs one command, as `event-sync ARGS` does, prints what it throws, and returns its exit code. */
export async function runCommand(args: readonly string[], bareIo: CommandIo): Promise<number> {
  const io = guarded(bareIo)
  let exitCode: number = EXIT.ok
  const exit = (code: number) => {
    exitCode = code
  }
  const program = await makeProgram(io, exit, args)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander writes its own to standard error, with a word in front that a key says already.
    const message = (error instanceof Error ? error.message : String(error)).replace(/^error: /, '')
    if (error instanceof CommanderError && error.exitCode === EXIT.ok) return EXIT.ok
    const { codeOf } = await import('./exit-code.ts')
    const code = codeOf(error)
    if (!(error instanceof CommanderError)) io.stderr.write(`${message}\n`)
    if (program.opts().json === true && code !== EXIT.ok) {
      io.stdout.write(`${JSON.stringify({ error: message })}\n`)
    }
    return code
  }
}
