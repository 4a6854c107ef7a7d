import { CommanderError } from 'commander'
import { OtherBindingError } from '../../loaders/ledger/binding.ts'
import { EXIT } from '../runtime/report.ts'
import { UserError, type UserErrorCode } from '../settings/errors.ts'
import { SIGNALS } from './io.ts'

const CODE_OF: Readonly<Record<UserErrorCode, number>> = {
  usage: EXIT.usage,
  configuration: EXIT.usage,
  file: EXIT.usage,
  state: EXIT.usage,
  locked: EXIT.locked,
  interrupted: SIGNALS.SIGINT,
}

export function codeOf(error: unknown): number {
  if (error instanceof UserError) return CODE_OF[error.code]
  if (error instanceof OtherBindingError) return EXIT.usage
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
  return error instanceof CommanderError ? EXIT.usage : EXIT.failed
}
