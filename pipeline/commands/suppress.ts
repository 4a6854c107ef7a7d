import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Argument, Option } from 'commander'
import { findDecision, findKnown, findVersions } from '../../loaders/explanation/item.ts'
import { findIntegrationsReading, type SourceBinding } from '../../loaders/ledger/binding.ts'
import {
  findSuppressed,
  type SuppressedItem,
  type SuppressionEntry,
  suppress,
  unsuppress,
} from '../../loaders/ledger/suppressed.ts'
import { findPersonalIds } from '../../loaders/people/person.ts'
import { CONTENTS, type Db, type FieldValue } from '../../sql/tables.ts'
import { flatFields, nameOf } from '../../transforms/declare/field-values.ts'
import { isTooLong, MAX_ID_BYTES } from '../../transforms/rules/references.ts'
import { storableText } from '../../transforms/rules/values.ts'
import { withAnd } from '../../transforms/texts/with-and.ts'
import type { Config, IntegrationConfig } from '../config/config.ts'
import { recordAction } from '../context/record-action.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { eventReadBy, sourceBindingOf } from '../context/suppression.ts'
import { describeKept, requireKeyFor, writeSuppressionsOfEvent } from '../people/beside-packs.ts'
import { findOne } from '../people/sought.ts'
import { exportSuppressions, findForgottenIds, importSuppressions } from '../people/suppressions.ts'
import { renewSuppressions, takeInUnknown } from '../people/take-in.ts'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import { HIDDEN, HIDDEN_HINT } from '../runtime/personal.ts'
import { quoted, word } from '../runtime/visible.ts'
import { UserError } from '../settings/errors.ts'
import { sourceTypeOf } from '../sources/registry.ts'
import {
  contentOf,
  ID,
  integrationOf,
  readSought,
  readText,
  reasonOption,
  refuseAddress,
  SOUGHT_OPTIONS,
  type SoughtOptions,
} from './arguments.ts'
import { type Call, defineCommand, type Output } from './define-command.ts'
import { toTable } from './io.ts'

const HELP = `
It takes effect in the next plan; stored plans do not change. The item is excluded with the reason "suppressed", removed
from the platform, and no other item refers to it, in each integration that reads the source event; forget erases this with the person.

Examples:
  event-sync suppress summit attendees 4711       leave her out from the next run on
  event-sync suppress summit agenda 102 --reason "doubled"
  event-sync suppress summit attendees --email < address.txt    the one person who was read with that address
  event-sync suppress summit attendees --name "Ada Lovelace"    the one person with these words in her name, if nobody else has them
  event-sync suppress summit                      what is left out, and since when`

interface Options extends SoughtOptions {
  readonly force?: boolean
  readonly reason?: string
}

export const addSuppressCommand = defineCommand({
  name: 'suppress',
  summary: 'leave one item out, whatever the source says, until unsuppress',
  help: HELP,
  args: [
    ID,
    new Argument('[content]', CONTENTS.join(', ')),
    new Argument(
      '[unique-id]',
      'the exact unique ID, known or not; content and this left out: lists what is left out',
    ),
  ],
  options: [
    ...SOUGHT_OPTIONS,
    new Option('--force', 'also an id that no run has read and the platform is not known to have'),
    reasonOption('why, for the list of what is left out and for explain'),
  ],
  async run(call: Call<Options>, id: string, content: string | undefined, uniqueId: string | undefined) {
    const { email, name } = call.options
    if (content === undefined && email !== true && name === undefined) return list(call, id)
    return change(call, 'suppress', id, await readItem(call, content ?? '', uniqueId))
  },
})

export const addUnsuppressCommand = defineCommand({
  name: 'unsuppress',
  summary: 'undo suppress',
  help: '\nExamples:\n  event-sync unsuppress summit attendees 4711     sync her again from the next plan on\n  event-sync unsuppress summit agenda 101             the same for a session',
  args: [
    ID,
    new Argument('<content>', CONTENTS.join(', ')),
    new Argument('[unique-id]', 'the exact unique ID; left out with --email or --name'),
  ],
  options: [...SOUGHT_OPTIONS, reasonOption('why, for the log, which keeps it; name nobody')],
  run: async (call: Call<Options>, id: string, content: string, uniqueId: string | undefined) =>
    change(call, 'unsuppress', id, await readItem(call, content, uniqueId)),
})

/** Reads which item the user means. @throws UserError if no item can have this id */
async function readItem({ io, options }: Call<Options>, name: string, uniqueId: string | undefined) {
  const content = contentOf(name)
  refuseAddress(content, uniqueId)
  const sought = await readSought(io, content, uniqueId, options)
  if ('id' in sought && (sought.id === '' || isTooLong(sought.id) || storableText(sought.id) !== sought.id)) {
    throw new UserError(
      'usage',
      `the unique ID is empty, is longer than ${MAX_ID_BYTES} bytes, or has a character that cannot be stored`,
      'give the exact unique ID of the item',
    )
  }
  return { content, sought }
}

type SuppressAction = 'suppress' | 'unsuppress'
type Item = Awaited<ReturnType<typeof readItem>>

async function change(
  { global, open, options }: Call<Options>,
  action: SuppressAction,
  id: string,
  item: Item,
): Promise<Output> {
  const { content } = item
  const { items, integrations, takenIn } = await open(async (context) => {
    const { config, database, environment } = context
    const integration = integrationOf(config, id)
    const sourceBinding = sourceBindingOf(integration)
    const takenIn = await takeInUnknown(context, integration, false)
    const changed = await database.transaction(async (transaction) => {
      const ids = await findOne(transaction, integration, content, item.sought, global.showPersonal)
      if (action === 'suppress') {
        requireKeyFor(
          context,
          id,
          ids.map((uniqueId) => ({ uniqueId })),
        )
        const isForgotten = await findForgottenIds(transaction, context, sourceBinding)
        if (ids.some((uniqueId) => isForgotten({ content, uniqueId })))
          throw new UserError(
            'state',
            `${id}: that person was forgotten, and stays away`,
            'nothing was stored',
          )
      }
      const shown = await makeShown(transaction, integration, ids, global.showPersonal)
      const items: { readonly uniqueId: string; readonly name: string; readonly isDone: boolean }[] = []
      for (const uniqueId of ids) {
        const { reason } = options
        const suppression = { content, uniqueId, since: timestamp(environment), by: environment.user, reason }
        const name = await findName(transaction, sourceBinding, suppression)
        if (name === null && action === 'suppress' && options.force !== true)
          throw new UserError(
            'usage',
            `no run of ${id} has read ${content} ${word(shown(suppression))}, and the platform is not known to have it`,
            `check the id, which \`event-sync explain ${id} ${content} ID\` helps with; or give --force to leave it out before it comes; nothing was stored`,
          )
        const isDone =
          action === 'suppress'
            ? await suppress(transaction, sourceBinding, suppression)
            : await unsuppress(transaction, sourceBinding.event, suppression)
        if (isDone) await recordChange(transaction, context, id, action, suppression)
        const isShown = content === 'agenda' || global.showPersonal
        items.push({ uniqueId: shown(suppression), name: isShown ? (name ?? '') : '', isDone })
      }
      return { items, integrations: [id, ...othersReading(config, sourceBinding)] }
    })
    await writeSuppressionsOfEvent(context, integration)
    return { ...changed, takenIn }
  })
  const lines = items.map(({ uniqueId, name, isDone }) => {
    const named = name === '' ? '' : ` ${quoted(name)}`
    const what = `${content} ${uniqueId === HIDDEN ? HIDDEN : word(uniqueId)}${named} of ${withAnd(integrations)}`
    return action === 'suppress'
      ? `${what} ${isDone ? 'will be left out of the next plan' : 'is already left out'}\n`
      : `${what} ${isDone ? 'will be in the next plan again' : 'is not left out'}\n`
  })
  const changed = items.some(({ isDone }) => isDone)
  const uniqueId = items[0]?.uniqueId
  const json = { integration: id, content, uniqueId, action, changed }
  return { text: [...takenIn.map((line) => `${line}\n`), ...lines].join(''), json, alsoText: true }
}

/**
 * Logs that an operator began or stopped to leave an item out. `forget` does not erase the log. Therefore the
 * log contains neither the id of a person nor the reason for the suppression. Only the list of suppressions
 * has the reason.
 */
function recordChange(
  transaction: Db,
  context: Context,
  integrationId: string,
  action: SuppressAction,
  { content, uniqueId, reason }: SuppressionEntry,
): Promise<void> {
  const isSession = content === 'agenda'
  const detail = isSession ? `${content} ${uniqueId}` : content
  const kept = isSession || action === 'unsuppress' ? (reason ?? null) : null
  return recordAction(transaction, context, integrationId, `${action}ed`, { reason: kept, detail })
}

/**
 * Finds the name of an item of a source event: its title, or first and last name. The name is empty if the
 * item has no name.
 *
 * @returns null if the item is unknown. An item is unknown if no integration of the event has read its
 *   record, and no known platform has the item
 */
async function findName(
  db: Db,
  { integrationId, event }: SourceBinding,
  { content, uniqueId }: SuppressedItem,
): Promise<string | null> {
  const readers = await findIntegrationsReading(db, event)
  let name: string | null = null
  for (const one of new Set([integrationId, ...readers])) {
    const key = { integrationId: one, content, uniqueId }
    const sent = await findKnown(db, key)
    const fields = (await findVersions(db, key)).at(-1)?.fields ?? (sent && flatFields(sent.fields))
    const text = (_: string, value: FieldValue | undefined) => (typeof value === 'string' ? value : '')
    if (fields !== undefined) return nameOf(content, fields, text)
    if ((await findDecision(db, key)) !== undefined) name = ''
  }
  return name
}

/**
 * Returns a function that hides a unique ID if it is personal data. If ids of an integration are e-mail
 * addresses, each of its ids is hidden, even an id that does not look like an address.
 */
async function makeShown(
  db: Db,
  integration: IntegrationConfig,
  ids: readonly string[],
  showPersonal: boolean,
): Promise<(item: SuppressedItem) => string> {
  const { people } = sourceTypeOf(integration.source).transform
  const personal = await findPersonalIds(db, integration.id, people, ids)
  return ({ uniqueId }) => (personal.has(uniqueId) && !showPersonal ? HIDDEN : uniqueId)
}

/** Returns the other integrations of the configuration that read the same source event. */
function othersReading({ integrations }: Config, { integrationId, event }: SourceBinding): readonly string[] {
  return integrations
    .filter((one) => one.id !== integrationId && isDeepStrictEqual(eventReadBy(one), event))
    .map((one) => one.id)
}

async function list({ global, open }: Call<Options>, id: string): Promise<Output> {
  const suppressed = await open(async ({ config, database: { kysely } }) => {
    const integration = integrationOf(config, id)
    const items = await findSuppressed(kysely, eventReadBy(integration))
    const ids = items.map(({ uniqueId }) => uniqueId)
    const shown = await makeShown(kysely, integration, ids, global.showPersonal)
    return items.map(({ event: _, reason, ...item }) => ({
      ...item,
      uniqueId: shown(item),
      reason: reason === null || global.showPersonal ? reason : HIDDEN,
    }))
  })
  const rows = suppressed.map((one) => [one.content, one.uniqueId, one.since, one.by, one.reason])
  const isHidden = suppressed.some((one) => [one.uniqueId, one.reason].includes(HIDDEN))
  const text =
    rows.length === 0
      ? `nothing of ${id} is left out by hand\n`
      : toTable(['content', 'unique id', 'since', 'by', 'reason'], rows) +
        (isHidden ? `\n${HIDDEN_HINT}` : '')
  return { text, json: { integration: id, suppressed } }
}

const SUPPRESSIONS_HELP = `
What forget and suppress keep holds for the source event (type, address and event id as configured), whichever integration of the
database reads it. The file takes it to another database: keyed hashes of forgotten people, sealed ids of items that were left out by
hand, and no id, address or key in clear. Both databases need the same sealingKey. Import before the first run there: it erases nobody who was read already, forget does.
<output>/<integration>/suppressions.json is such a file, which each run keeps up to date: a database that knows less than it is refused until --refresh
takes it in. renew writes it with what this database keeps out: whoever only a lost file named comes back.

Examples:
  event-sync suppressions export kept-out.json
  event-sync suppressions import kept-out.json    in the other database; a second time adds nothing
  event-sync suppressions renew summit            if suppressions.json beside its packs is lost`

export const addSuppressionsCommand = defineCommand({
  name: 'suppressions',
  summary: 'copy the suppressions of forgotten people and of items to another database',
  help: SUPPRESSIONS_HELP,
  args: [
    new Argument('<action>', 'what to do').choices(['export', 'import', 'renew']),
    new Argument(
      '<file>',
      'export writes a new file that only its owner can read; import reads it; of renew: id of the integration',
    ),
  ],
  run: ({ io, open }, action: 'export' | 'import' | 'renew', file: string) =>
    open(async (context) => {
      if (action === 'renew') {
        const known = await renewSuppressions(context, integrationOf(context.config, file))
        const done =
          known === null
            ? 'nobody is kept out'
            : `written again, revision ${known.revision}: ${describeKept(known)}`
        return { text: `${file}: ${done}\n`, json: { action, integration: file, ...known }, alsoText: true }
      }
      if (action === 'export') {
        const { text, ...counts } = await exportSuppressions(context)
        writePrivate(resolve(io.cwd, file), file, text)
        const done = `${file}: ${describeKept(counts)}; import it with the same sealingKey\n`
        return { text: done, json: { action, file, ...counts }, alsoText: true }
      }
      const { unread, ...counts } = await importSuppressions(context, file, readText(io.cwd, file))
      const lines = [
        `${file}: ${describeKept(counts)} are new to this database; the next run leaves them out. History and packs still have values of forgotten people who were already read here: \`event-sync forget\` erases them`,
        ...unread.map(
          (event) =>
            `no integration in the configuration reads ${event}; one that does later leaves these people out`,
        ),
      ]
      return { text: `${lines.join('\n')}\n`, json: { action, file, ...counts, unread }, alsoText: true }
    }),
})

/**
 * Writes a new file that only its owner can read, because it contains personal data.
 *
 * @throws UserError if the file exists or cannot be written
 */
function writePrivate(path: string, file: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true })
  } catch (cause) {
    if (systemCodeOf(cause) === 'EEXIST')
      throw new UserError('file', `${file} exists and is not overwritten`, 'name another file')
    // A partial file may be left, for example because the disk is full.
    rmSync(path, { force: true })
    throw new UserError('file', `${file} cannot be written${describeCode(cause)}`, 'name another file', {
      cause,
    })
  }
}
