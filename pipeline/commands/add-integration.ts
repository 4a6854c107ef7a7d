import { appendIntegration } from '../config/append-integration.ts'
import { machine } from '../runtime/environment.ts'
import { ConfigError, UserError } from '../settings/errors.ts'
import { converse } from './dialogue.ts'
import { askForIntegration, type IntegrationInput } from './integration-questions.ts'
import type { CommandIo } from './io.ts'
import { readExactly, replaceFile } from './replace-file.ts'
import { type GlobalOptions, openConfig } from './session.ts'

const TODO = 'add it to the file by hand; nothing was written'

/**
 * Asks for the values of a further integration and adds it to an existing configuration.
 *
 * @param isAsked false if no person can answer questions
 * @throws UserError if no person can answer, or if an integration cannot be inserted into the text of the
 *   list; ConfigError if the configuration is not valid
 */
export async function addIntegration(
  global: GlobalOptions,
  io: CommandIo,
  isAsked: boolean,
): Promise<IntegrationInput> {
  const { config: path } = global
  const { config } = await openConfig(global, io)
  if (!isAsked) throw new UserError('usage', 'there is nobody to ask for an integration', TODO)
  const before = readExactly(path, io.cwd)
  const taken = config.integrations.map(({ id }) => id)
  const integration = await converse(io.stdin, io.stderr.bare ?? io.stderr, (ask) =>
    askForIntegration(ask, machine.timeZone, taken),
  )
  const after = appendIntegration(before, integration)
  if (after === null) throw new UserError('file', `integrations is not written as a list in ${path}`, TODO)
  const { env, cwd, stderr } = io
  await openConfig(global, { env, cwd, stderr, configText: after }).catch((cause: unknown) => {
    if (!(cause instanceof ConfigError)) throw cause
    throw new UserError('file', `${path} would not be valid with it: ${cause.message}`, TODO, { cause })
  })
  replaceFile(path, before, after, cwd)
  return integration
}
