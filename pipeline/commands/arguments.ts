import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Argument, InvalidArgumentError } from 'commander'
import { findRuns, findRunsByPart, type RunRecord } from '../../loaders/ledger/ledger.ts'
import type { Sought } from '../../loaders/people/person.ts'
import { CONTENTS, type Content, type Db } from '../../sql/tables.ts'
import { addressKey } from '../../transforms/rules/addresses.ts'
import { storableText } from '../../transforms/rules/values.ts'
import type { Config, IntegrationConfig } from '../config/config.ts'
import { describeCode } from '../runtime/not-writable.ts'
import { isAddress } from '../runtime/personal.ts'
import { isRunId } from '../runtime/run-id.ts'
import { UserError } from '../settings/errors.ts'
import type { CommandIo } from './io.ts'

/** Arguments for one integration or for several. */
export const ID = new Argument('<id>', 'integration')
export const IDS = new Argument('[id...]', 'integrations; left out: all of the configuration')

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
 * @throws UserError that names the configured integrations
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
 * Checks a run id before anything is opened.
 *
 * @throws UserError if the text is neither the id of a run nor a part of one
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

/**
 * Finds the person that the user means: by the id in the arguments or, with --email, by the address in the
 * first line of standard input. Addresses are not accepted as arguments, because lists of processes and the
 * shell history show arguments.
 *
 * @throws UserError if no person is given, or if an address is in the arguments
 */
export async function readSought(io: CommandIo, id: string | undefined, isByEmail = false): Promise<Sought> {
  if (isByEmail && id !== undefined)
    throw new UserError(
      'usage',
      'the id of the person and --email cannot be used together',
      'give only one of them',
    )
  if (isByEmail) return { address: await readAddress(io) }
  if (id === undefined)
    throw new UserError('usage', 'no person was given', 'give the id of the person, or --email')
  if (!isAddress(id)) return { id }
  throw new UserError(
    'usage',
    'an e-mail address does not belong in a command line, where others can see it',
    'give it on standard input, with --email',
  )
}

async function readAddress({ stdin, stderr }: CommandIo): Promise<string> {
  if (stdin.isTTY) stderr.write('e-mail address: ')
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  const address = addressKey(text.split('\n')[0] ?? '')
  // Some shells write UTF-16, which contains U+0000.
  if (isAddress(address) && storableText(address) === address) return address
  throw new UserError(
    'usage',
    'standard input has no e-mail address in its first line',
    'write the address there, such as `--email < address.txt`',
  )
}
