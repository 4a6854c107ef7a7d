import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Argument, type Command } from 'commander'
import type { Reader } from '../../loaders/ledger/binding.ts'
import {
  bindSuppressed,
  findSuppressed,
  type Suppression,
  suppress,
  unsuppress,
} from '../../loaders/ledger/suppressed.ts'
import { counted } from '../../transforms/guards/guard-finding.ts'
import { storableText } from '../../transforms/rules/values.ts'
import type { Config } from '../config/config.ts'
import { timestamp } from '../context/run-context.ts'
import { readerOf, sourceEventOf } from '../privacy/suppression.ts'
import { exportSuppressions, importSuppressions, type SuppressionCounts } from '../privacy/suppressions.ts'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import { READING_ORDER } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { toVisibleJson, word } from '../text/visible.ts'
import { contentOf, integrationOf, readText } from './arguments.ts'
import { type CommandIo, printBoth, toTable } from './io.ts'
import { type GlobalOptions, withContext } from './session.ts'

const HELP = `
It takes effect in the next plan; stored plans do not change. The item is excluded with the reason "suppressed", removed
from the platform, and no other item refers to it, in each integration that reads the source event; forget erases this with the person.

Examples:
  event-sync suppress summit attendees 4711       leave her out from the next run on
  event-sync suppress summit                      what is left out, and since when`

export function addSuppressCommands(program: Command, io: CommandIo): void {
  program
    .command('suppress')
    .description('leave one item out, whatever the source says, until unsuppress')
    .argument('<id>', 'integration')
    .argument('[content]', READING_ORDER.join(', '))
    .argument(
      '[unique-id]',
      'the exact unique ID, known or not; content and this left out: lists what is left out',
    )
    .addHelpText('after', HELP)
    .action(async (id: string, content: string | undefined, uniqueId: string | undefined) => {
      const global = program.opts<GlobalOptions>()
      if (content === undefined) return list(global, io, id)
      await change(global, io, 'suppress', id, itemOf(content, uniqueId))
    })
  program
    .command('unsuppress')
    .description('undo suppress')
    .argument('<id>', 'integration')
    .argument('<content>', READING_ORDER.join(', '))
    .argument('<unique-id>', 'the exact unique ID')
    .addHelpText(
      'after',
      '\nExamples:\n  event-sync unsuppress summit attendees 4711     sync her again from the next plan on',
    )
    .action(async (id: string, content: string, uniqueId: string) => {
      await change(program.opts<GlobalOptions>(), io, 'unsuppress', id, itemOf(content, uniqueId))
    })
}

/** @throws UserError where there can be no such item */
function itemOf(name: string, uniqueId: string | undefined) {
  const content = contentOf(name)
  if (uniqueId === undefined)
    throw new UserError(
      'usage',
      'the unique ID is missing',
      'usage: event-sync suppress ID CONTENT UNIQUE_ID',
    )
  if (uniqueId === '' || storableText(uniqueId) !== uniqueId) {
    throw new UserError(
      'usage',
      'the unique ID is empty or has a character that cannot be stored',
      'give the exact unique ID of the item',
    )
  }
  return { content, uniqueId }
}

type Action = 'suppress' | 'unsuppress'
type Item = ReturnType<typeof itemOf>

async function change(global: GlobalOptions, io: CommandIo, action: Action, id: string, item: Item) {
  const { isDone, readers } = await withContext(global, io, async ({ config, database, environment }) => {
    const reader = readerOf(integrationOf(config, id))
    await bindSuppressed(database.kysely, reader)
    const suppression: Suppression = { ...item, since: timestamp(environment), by: environment.user }
    const isDone =
      action === 'suppress'
        ? await suppress(database.kysely, reader, suppression)
        : await unsuppress(database.kysely, reader.event, item)
    return { isDone, readers: [id, ...othersReading(config, reader)] }
  })
  const what = `${item.content} ${word(item.uniqueId)} of ${readers.join(' and ')}`
  const text =
    action === 'suppress'
      ? `${what} ${isDone ? 'will be left out of the next plan' : 'is already left out'}`
      : `${what} ${isDone ? 'will be in the next plan again' : 'is not left out'}`
  printBoth(io, global.json, `${text}\n`, { integration: id, ...item, action, changed: isDone })
}

/** Integrations of the configuration that read the same source event. */
function othersReading({ integrations }: Config, { integrationId, event }: Reader): readonly string[] {
  return integrations
    .filter((one) => one.id !== integrationId && isDeepStrictEqual(sourceEventOf(one), event))
    .map((one) => one.id)
}

async function list(global: GlobalOptions, io: CommandIo, id: string): Promise<void> {
  const suppressed = await withContext(global, io, async ({ config, database }) => {
    const reader = readerOf(integrationOf(config, id))
    await bindSuppressed(database.kysely, reader)
    const items = await findSuppressed(database.kysely, reader.event)
    return items.map(({ event: _, ...item }) => item)
  })
  const rows = suppressed.map(({ content, uniqueId, since, by }) => [content, uniqueId, since, by])
  const text =
    rows.length === 0
      ? `nothing of ${id} is left out by hand\n`
      : toTable(['content', 'unique id', 'since', 'by'], rows)
  io.stdout.write(global.json ? `${toVisibleJson({ integration: id, suppressed })}\n` : text)
}

const SUPPRESSIONS_HELP = `
What forget and suppress keep holds for the source event (type, address and event id as configured), whichever integration of the
database reads it. The file takes it to another database: keyed hashes of forgotten people, sealed ids of items that were left out by
hand, and no id, address or key in clear. Both databases need the same sealingKey. Import before the first run there: it erases nobody who was read already, forget does.

Examples:
  event-sync suppressions export kept-out.json
  event-sync suppressions import kept-out.json    in the other database; a second time adds nothing`

export function addSuppressionsCommand(program: Command, io: CommandIo): void {
  program
    .command('suppressions')
    .description('copy the suppressions of forgotten people and of items to another database')
    .addArgument(new Argument('<action>', 'what to do').choices(['export', 'import']))
    .argument('<file>', 'export writes a new file that only its owner can read; import reads it')
    .addHelpText('after', SUPPRESSIONS_HELP)
    .action(async (action: 'export' | 'import', file: string) => {
      const global = program.opts<GlobalOptions>()
      const print = (outcome: SuppressionCounts, text: string) =>
        printBoth(io, global.json, text, { action, file, ...outcome })
      await withContext(global, io, async (context) => {
        if (action === 'export') {
          const { text, ...counts } = await exportSuppressions(context)
          writePrivate(resolve(io.cwd, file), file, text)
          print(counts, `${file}: ${described(counts)}; import it with the same sealingKey\n`)
          return
        }
        const { unread, ...counts } = await importSuppressions(context, file, readText(io.cwd, file))
        const lines = [
          `${file}: ${described(counts)} are new to this database; the next run leaves them out. History and packs still have values of forgotten people who were already read here: \`event-sync forget\` erases them`,
          ...unread.map(
            (event) =>
              `no integration in the configuration reads ${event}; one that does later leaves these people out`,
          ),
        ]
        const outcome = { ...counts, unread }
        print(outcome, `${lines.join('\n')}\n`)
      })
    })
}

function described({ ids, addresses, items }: SuppressionCounts): string {
  const e = addresses === 1 ? '' : 'es'
  return `${counted(ids, 'id')} and ${addresses} e-mail address${e} of forgotten people, and ${counted(items, 'item')} left out by hand`
}

/** @throws UserError where the file is there, or cannot be written */
function writePrivate(path: string, file: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true })
  } catch (cause) {
    if (systemCodeOf(cause) === 'EEXIST')
      throw new UserError('file', `${file} exists and is not overwritten`, 'name another file')
    // The disk may be full.
    rmSync(path, { force: true })
    throw new UserError('file', `${file} cannot be written${describeCode(cause)}`, 'name another file', {
      cause,
    })
  }
}
