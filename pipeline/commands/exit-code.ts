import { CommanderError } from 'commander'
import { OtherBindingError } from '../../loaders/ledger/binding.ts'
import { ConfigError } from '../config/config.ts'
import { DirectoryLockedError } from '../database/directory-lock.ts'
import { EXIT } from '../runtime/report.ts'
import { InterruptedError } from './dialogue.ts'
import { SIGNALS } from './interruption.ts'

export function codeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  if (error instanceof ConfigError || error instanceof OtherBindingError) return EXIT.usage
  if (error instanceof DirectoryLockedError) return EXIT.locked
  if (error instanceof InterruptedError) return SIGNALS.SIGINT
  return EXIT.failed
}
