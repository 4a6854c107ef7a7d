import type { Command } from 'commander'
import { findSuppressed, type Suppression, suppress, unsuppress } from '../../loaders/ledger/suppressed.ts'
import { storableText } from '../../transforms/rules/text.ts'
import { timestamp } from '../context/run-context.ts'
import { READING_ORDER } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { toVisibleJson, word } from '../text/visible.ts'
import { contentOf, integrationOf } from './arguments.ts'
import { type CommandIo, printBoth } from './io.ts'
import { type GlobalOptions, withContext } from './session.ts'
import { toTable } from './table.ts'

const HELP = `
It counts from the next plan on: a plan that is stored stays as it is. The item is excluded with the reason "suppressed", removed
from the platform, and named by nobody; forget erases this with the person.

Examples:
  event-sync suppress summit attendees 4711       from the next run on she is not there
  event-sync suppress summit                      what is left out, and since when`

export function addSuppressCommands(program: Command, io: CommandIo): void {
  program
    .command('suppress')
    .description('leave one item out, whatever the source says, until that is taken back')
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
    .description('take back what suppress left out')
    .argument('<id>', 'integration')
    .argument('<content>', READING_ORDER.join(', '))
    .argument('<unique-id>', 'the exact unique ID')
    .addHelpText(
      'after',
      '\nExamples:\n  event-sync unsuppress summit attendees 4711     from the next plan on she is there again',
    )
    .action(async (id: string, content: string, uniqueId: string) => {
      await change(program.opts<GlobalOptions>(), io, 'unsuppress', id, itemOf(content, uniqueId))
    })
}

/** @throws UserError where there can be no such item */
function itemOf(name: string, uniqueId: string | undefined) {
  const content = contentOf(name)
  if (uniqueId === undefined)
    throw new UserError('usage', 'the unique ID is missing', 'write: suppress ID CONTENT UNIQUE_ID')
  if (uniqueId === '' || storableText(uniqueId) !== uniqueId) {
    throw new UserError(
      'usage',
      'no item has such a unique ID: it is empty, or has a character that no text can hold',
    )
  }
  return { content, uniqueId }
}

type Action = 'suppress' | 'unsuppress'
type Item = ReturnType<typeof itemOf>

async function change(global: GlobalOptions, io: CommandIo, action: Action, id: string, item: Item) {
  const isDone = await withContext(global, io, ({ config, database, environment }) => {
    const { id: integrationId } = integrationOf(config, id)
    if (action === 'unsuppress') return unsuppress(database.kysely, integrationId, item)
    const suppression: Suppression = { ...item, since: timestamp(environment), by: environment.user }
    return suppress(database.kysely, integrationId, suppression)
  })
  const what = `${item.content} ${word(item.uniqueId)} of ${id}`
  const text =
    action === 'suppress'
      ? `${what} ${isDone ? 'will be left out of the next plan' : 'was left out already'}`
      : `${what} ${isDone ? 'will be in the next plan again' : 'was not left out'}`
  printBoth(io, global.json, `${text}\n`, { integration: id, ...item, action, changed: isDone })
}

async function list(global: GlobalOptions, io: CommandIo, id: string): Promise<void> {
  const suppressed = await withContext(global, io, ({ config, database }) =>
    findSuppressed(database.kysely, integrationOf(config, id).id),
  )
  const rows = suppressed.map(({ content, uniqueId, since, by }) => [content, uniqueId, since, by])
  const text =
    rows.length === 0
      ? `nothing of ${id} is left out by hand\n`
      : toTable(['content', 'unique id', 'since', 'by'], rows)
  io.stdout.write(global.json ? `${toVisibleJson({ integration: id, suppressed })}\n` : text)
}
