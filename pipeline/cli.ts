import './heap.ts'
import { CommanderError } from 'commander'
import { OtherBindingError } from '../loaders/binding.ts'
import { InterruptedError } from './commands/dialogue.ts'
import { heedSignals, SIGNALS } from './commands/interruption.ts'
import { makeProgram } from './commands/program.ts'
import { ConfigError } from './config.ts'
import { DirectoryLockedError } from './database/directory-lock.ts'
import { EXIT } from './report.ts'

/** Maps what a command threw to the exit code that tells of it. Source: design 6. */
function codeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  if (error instanceof ConfigError || error instanceof OtherBindingError) return EXIT.usage
  if (error instanceof DirectoryLockedError) return EXIT.locked
  if (error instanceof InterruptedError) return SIGNALS.SIGINT
  return EXIT.failed
}

const program = makeProgram((code) => {
  process.exitCode = code
})

for (const output of [process.stdout, process.stderr]) {
  // Whoever read the output, such as `head`, is gone: a run that is under way ends as it would have.
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    // A full disk, say; a run that is under way ends as it would have, but nobody could read what it printed.
    process.exitCode = EXIT.failed
    if (output === process.stdout) process.stderr.write(`the output cannot be written (${error.code})\n`)
  })
}
heedSignals()

try {
  await program.parseAsync()
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof CommanderError)) process.stderr.write(`${message}\n`)
  process.exitCode = codeOf(error)
  if (program.opts().json === true && process.exitCode !== EXIT.ok) {
    process.stdout.write(`${JSON.stringify({ error: message })}\n`)
  }
}
