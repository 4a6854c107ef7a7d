import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { findRuns, findRunsByPart, type RunRecord } from '../../loaders/ledger/ledger.ts'
import { CONTENTS, type Content, type Db } from '../../sql/tables.ts'
import { addressKey } from '../../transforms/rules/addresses.ts'
import { wordsIn } from '../../transforms/rules/names.ts'
import { isAddress } from '../../transforms/rules/personal-ids.ts'
import { storableText } from '../../transforms/rules/values.ts'
import type { Config, IntegrationConfig } from '../config/config.ts'
import type { SoughtBy, SoughtItem } from '../people/sought.ts'
import { describeCode } from '../runtime/not-writable.ts'
import { isRunId } from '../runtime/run-id.ts'
import { UserError } from '../settings/errors.ts'
import { askHidden } from './dialogue.ts'
import type { CommandIo } from './io.ts'

/** Arguments of commands for one integration or for several integrations. */
export const ID = new Argument('<id>', 'integration')
export const IDS = new Argument('[id...]', 'integrations; left out: all of the configuration')

/**
 * Makes the option `--reason`. The log of an integration stores the reason, and `forget` does not erase it
 * there.
 */
export function reasonOption(description: string): Option {
  return new Option('--reason <text>', description).argParser(toReason)
}

function toReason(text: string): string {
  const reason = text.trim().replace(/\s+/g, ' ')
  if (reason === '') throw new InvalidArgumentError('It is empty.')
  return reason
}

export function wholeNumber(from: number, to?: number, unit = '') {
  return (text: string): number => {
    const number = Number(text)
    const isInRange = number >= from && number <= (to ?? number)
    if (/^(?:0|[1-9]\d{0,5})$/.test(text) && isInRange) return number
    const range = to === undefined ? `${from} or more` : `from ${from} to ${to}`
    throw new InvalidArgumentError(`It must be a whole number${unit}, ${range}.`)
  }
}

/**
 * Returns the integration with an id.
 *
 * @throws UserError that lists the configured integrations if none has the id
 */
export function integrationOf({ integrations }: Config, id: string): IntegrationConfig {
  const integration = integrations.find((one) => one.id === id)
  if (integration !== undefined) return integration
  const known = integrations.map((one) => one.id).join(', ')
  throw new UserError(
    'usage',
    `there is no integration "${id}" in the configuration`,
    `its integrations are: ${known}`,
  )
}

/** Returns the integrations with the given ids, or all configured integrations if no id is given. */
export function integrationsOf(config: Config, ids: readonly string[]): readonly IntegrationConfig[] {
  return ids.length === 0 ? config.integrations : ids.map((id) => integrationOf(config, id))
}

/**
 * Returns the content with a name.
 *
 * @throws UserError if no content has this name
 */
export function contentOf(name: string): Content {
  const content = CONTENTS.find((one) => one === name)
  if (content !== undefined) return content
  throw new UserError('usage', `"${name}" is not a content`, `give one of: ${CONTENTS.join(', ')}`)
}

const LISTED = '`event-sync runs` lists them'

export const RUN = new Argument(
  '<run>',
  'id of the run, or a part at its beginning or end that no other run has, such as the last 8 characters',
)

/**
 * Checks the form of a run id before the database is opened.
 *
 * @throws UserError if the text is not a run id and not a part of a run id
 */
export function requireRunId(text: string): void {
  if (!RUN_PART.test(text)) throw new UserError('usage', `"${text}" is not the id of a run`, LISTED)
}

const RUN_PART = /^[0-9a-f-]{4,36}$/

/**
 * Returns the run with an id, or with a part of an id.
 *
 * @throws UserError if no run matches, or if several match
 */
export async function requireRun(db: Db, text: string): Promise<RunRecord> {
  const [record, ...others] = isRunId(text)
    ? await findRuns(db, { runId: text }, 1)
    : await findRunsByPart(db, text, 4)
  if (record === undefined) throw new UserError('usage', `there is no run ${text}`, LISTED)
  if (others.length === 0) return record
  const ids = [record, ...others].map(({ run_id }) => run_id)
  throw new UserError('usage', `${text} is part of several run ids: ${ids.join(', ')}`, 'give more of it')
}

export const CHECK_PATH = 'check the path, and that this user can read it'

/**
 * Reads a text file and removes a byte order mark, which some editors write.
 *
 * @param what name of the file in the message of a UserError
 */
export function readText(cwd: string, path: string, what = path): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8').replace(/^\uFEFF/, '')
  } catch (cause) {
    throw new UserError('file', `${what} cannot be read${describeCode(cause)}`, CHECK_PATH, { cause })
  }
}

/** Options that name a person by e-mail address or name, or a session by its title, instead of the unique ID. */
export interface SoughtOptions {
  readonly email?: boolean
  readonly name?: string
}

export const SOUGHT_OPTIONS: readonly Option[] = soughtOptions(
  'words of the name of the person, or of the title of the session',
)

/** The same options for a command that is only about people. */
export const SOUGHT_PERSON_OPTIONS: readonly Option[] = soughtOptions('words of the name of the person')

function soughtOptions(words: string): readonly Option[] {
  return [
    new Option(
      '--email',
      'read the e-mail address of the person from standard input; a terminal asks for it, and does not show it',
    ),
    new Option('--name <text>', `${words}; -: read them from standard input`),
  ]
}

/**
 * Reads which item the user means. The arguments have its id, or option --email or --name is given. With
 * --email, the address is in the first line of standard input; with --name, the option has words of the
 * item's name.
 *
 * @throws UserError if the user names no item, or names it in two ways
 */
export async function readSought(
  io: CommandIo,
  content: Content,
  id: string | undefined,
  options: SoughtOptions,
): Promise<SoughtItem> {
  const isOfPeople = content !== 'agenda'
  if (!isOfPeople && options.email === true)
    throw new UserError('usage', 'a session has no e-mail address', 'give its unique ID, or --name')
  const sought = await readSoughtBy(io, options, id !== undefined)
  if (sought !== null) return sought
  if (id === undefined)
    throw isOfPeople
      ? new UserError('usage', 'no person was given', 'give the id of the person, --email or --name')
      : new UserError('usage', 'the unique ID of the session is missing', 'give it after "agenda", or --name')
  return { id }
}

/**
 * Checks that a person's id in the arguments of a command is not an e-mail address.
 *
 * @throws UserError if the id is an e-mail address
 */
export function refuseAddress(content: Content, id: string | undefined): void {
  if (content !== 'agenda' && id !== undefined && isAddress(id)) throw addressInArguments()
}

/**
 * Reads the address or the name that the options give; returns null if the user gave no such option. An
 * address cannot be an argument, because lists of processes and the shell history show arguments.
 *
 * @param isById true if the arguments already have an id
 */
export async function readSoughtBy(
  io: CommandIo,
  { email = false, name }: SoughtOptions,
  isById = false,
): Promise<SoughtBy | null> {
  if ([isById, email, name !== undefined].filter(Boolean).length > 1)
    throw new UserError(
      'usage',
      `${isById ? 'the unique ID, ' : ''}--email and --name cannot be used together`,
      'give only one of them',
    )
  if (email) return { address: await readAddress(io) }
  if (name === undefined) return null
  if (/\S@\S/.test(name)) throw addressInArguments()
  const words = wordsIn(name === '-' ? await readLine(io, 'name (not shown): ') : name)
  if (words.size > 0) return { words }
  throw new UserError(
    'usage',
    'the name has no letter and no digit',
    'give words of the name, as --name "Ada"',
  )
}

function addressInArguments(): UserError {
  return new UserError(
    'usage',
    'an e-mail address does not belong in a command line, where others can see it',
    'give it on standard input, with --email',
  )
}

async function readAddress(io: CommandIo): Promise<string> {
  const address = addressKey(await readLine(io, 'e-mail address (not shown): '))
  // Some shells write UTF-16. The zero bytes of UTF-16 become U+0000, which PostgreSQL cannot store.
  if (isAddress(address) && storableText(address) === address) return address
  throw new UserError(
    'usage',
    'standard input has no e-mail address in its first line',
    'write the address there, such as `--email < address.txt`',
  )
}

/**
 * Reads the first line of standard input. If standard input is a terminal, the function first prints
 * `prompt`, and does not show what the user types.
 */
async function readLine(io: CommandIo, prompt: string): Promise<string> {
  const { stdin } = io
  if (stdin.isTTY) return askHidden(io, prompt)
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return text.split('\n')[0] ?? ''
}
