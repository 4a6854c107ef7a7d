import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { DirectoryLockedError, lockDirectory } from '../../database/directory-lock.ts'
import { JournalError } from './journal.ts'
import { type SamplePlatformOptions, samplePlatformDefaults } from './options.ts'
import { startServer } from './server.ts'

/** The arguments are wrong; the message says which. */
class UsageError extends Error {}

const usage =
  '--storage DIR [--port N] [--token T] [--event ID] [--no-control] [--page-size N] [--max-body-bytes N]'

/** Ends with whoever started it: when its standard input closes, however that came about. */
function endWithParent(): void {
  for (const event of ['end', 'close', 'error']) process.stdin.on(event, () => process.exit(0))
  process.stdin.resume()
  // Every answer that was given is on the disk already, so there is nothing to finish.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
  // Nobody reads any more.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
}

function readOptions(): Required<SamplePlatformOptions> {
  const { values } = parseArgs({
    options: {
      storage: { type: 'string' },
      port: { type: 'string' },
      token: { type: 'string' },
      event: { type: 'string' },
      'no-control': { type: 'boolean' },
      'page-size': { type: 'string' },
      'max-body-bytes': { type: 'string' },
    },
  })
  const defaults = samplePlatformDefaults
  if (values.storage === undefined) throw new UsageError('--storage is missing')
  return {
    storage: values.storage,
    port: wholeNumber('--port', values.port, defaults.port, 0),
    token: values.token ?? defaults.token,
    eventId: values.event ?? defaults.eventId,
    control: values['no-control'] !== true,
    pageSize: wholeNumber('--page-size', values['page-size'], defaults.pageSize, 1),
    maxBodyBytes: wholeNumber('--max-body-bytes', values['max-body-bytes'], defaults.maxBodyBytes, 1),
  }
}

function wholeNumber(option: string, text: string | undefined, unset: number, least: number): number {
  if (text === undefined) return unset
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least) {
    throw new UsageError(`${option} is no whole number from ${least} on`)
  }
  return value
}

function tell(sentence: string): void {
  process.stderr.write(`sample platform: ${sentence}\n`)
}

/** As a sentence; of an error that nobody foresaw, only its code and name. */
function sentenceOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}; it takes ${usage}`
  if (error instanceof JournalError) return error.message
  if (error instanceof DirectoryLockedError) return 'the storage is open in another sample platform'
  if (!(error instanceof Error)) return 'it could not start'
  const code = 'code' in error ? String(error.code) : error.name
  return code.startsWith('ERR_PARSE_ARGS') ? `it takes ${usage}` : `it could not start (${code})`
}

endWithParent()
try {
  const options = readOptions()
  mkdirSync(options.storage, { recursive: true, mode: 0o700 })
  // Two processes that append to one journal would not know of each other's items.
  await lockDirectory(options.storage)
  const url = await startServer(options, { tell, giveUp: () => process.exit(1) })
  process.stdout.write(`${JSON.stringify({ url })}\n`)
} catch (error) {
  tell(sentenceOf(error))
  process.exit(1)
}
