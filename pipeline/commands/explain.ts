import { Argument } from 'commander'
import { findPin } from '../../loaders/ledger/actions.ts'
import { CONTENTS, type Content, type Db, type FieldValue } from '../../sql/tables.ts'
import { isList, textOf } from '../../transforms/declare/field-values.ts'
import { isJsonObject } from '../../transforms/rules/values.ts'
import { describePin } from '../../transforms/texts/pinned.ts'
import { withAnd } from '../../transforms/texts/with-and.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { findForgettingKeys } from '../context/keys.ts'
import { timestamp } from '../context/run-context.ts'
import { findSuppression } from '../context/suppression.ts'
import { explainItem } from '../inspect/explain.ts'
import { named } from '../inspect/platform-state.ts'
import { findAll, findOne, type SoughtBy, type SoughtItem } from '../people/sought.ts'
import { HIDDEN, HIDDEN_HINT } from '../runtime/personal.ts'
import { digits, quoted, visible, word } from '../runtime/visible.ts'
import type { ExplainedField, ExplainedOrigin, Explanation, Reference, RunAt } from '../schemas/items.ts'
import { UserError } from '../settings/errors.ts'
import {
  contentOf,
  ID,
  integrationOf,
  readSought,
  readSoughtBy,
  SOUGHT_OPTIONS,
  type SoughtOptions,
} from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import type { CommandIo } from './io.ts'
import { withStored } from './session.ts'

const HELP = `
It reads what is stored, not the source: it says what the last run that read the source knew, and changes nothing.
Exit code 1 if the id is unknown; the message says where to look.

Examples:
  event-sync explain summit agenda 101                      why is the session as it is?
  event-sync explain summit attendees 4711                  why is this person missing?
  event-sync explain summit speakers u7 --show-personal     with the values of people
  event-sync explain summit attendees --name "Ada Lovelace"    the one person with these words in her name
  event-sync explain summit --name "Ada Lovelace"             the same in every content, as attendee and as speaker
  event-sync explain summit agenda 101 --json               for machines`

export const addExplainCommand = defineCommand({
  name: 'explain',
  summary: 'where each field of an item came from, through which runs, and why; or why there is none',
  help: HELP,
  args: [
    ID,
    new Argument(
      '[content]',
      `${CONTENTS.join(', ')}; left out with --email or --name: each of them in which the item is`,
    ),
    new Argument(
      '[unique-id]',
      'id of the item; if it is not synced, the id of its record at the source; left out with --email or --name',
    ),
  ],
  options: SOUGHT_OPTIONS,
  async run(
    { options, io, global }: Call<SoughtOptions>,
    id: string,
    name: string | undefined,
    givenId: string | undefined,
  ) {
    const asked = await readAsked(io, options, name, givenId)
    const { showPersonal } = global
    const explained = await withStored(global, io, async (db, context) => {
      const { config } = context
      const integration = integrationOf(config, id)
      // Without the key for forgetting people, the command cannot recognise forgotten people. Without the
      // key, the command can still explain every other item.
      const suppression =
        findForgettingKeys(context, id) === null ? null : await findSuppression(db, context, integration)
      const { tokenOf = () => null } = suppression ?? {}
      const pinned = await findPin(db, id, timestamp(context.environment))
      const contents =
        asked.content === null ? await contentsWith(db, integration, asked.sought) : [asked.content]
      const all: Explanation[] = []
      for (const content of contents) {
        const [uniqueId] = await findOne(db, integration, content, asked.sought, showPersonal)
        all.push(
          await explainItem(db, { config, integration, content, uniqueId, showPersonal, tokenOf, pinned }),
        )
      }
      return all
    })
    const [first] = explained
    const json = asked.content !== null && first !== undefined ? first : { items: explained }
    const text = explained.map(describeExplanation).join('\n')
    const hint = JSON.stringify(json).includes(HIDDEN) ? HIDDEN_HINT : ''
    return { json, hint, text: text.includes(HIDDEN) ? `${text}\n${HIDDEN_HINT}` : text }
  },
})

/**
 * The item or person that the user wants explained. If the user named no content, the command searches every
 * content.
 */
type Asked =
  | { readonly content: Content; readonly sought: SoughtItem }
  | { readonly content: null; readonly sought: SoughtBy }

/** @throws UserError if the arguments do not name an item */
async function readAsked(
  io: CommandIo,
  options: SoughtOptions,
  name: string | undefined,
  id: string | undefined,
): Promise<Asked> {
  if (name !== undefined) {
    const content = contentOf(name)
    return { content, sought: await readSought(io, content, id, options) }
  }
  const sought = await readSoughtBy(io, options)
  if (sought !== null) return { content: null, sought }
  const todo = `give one of ${CONTENTS.join(', ')} and a unique ID, or --email or --name`
  throw new UserError('usage', 'the content is missing', todo)
}

/** Returns the contents that have a record of the person or session that the user named. */
async function contentsWith(db: Db, integration: IntegrationConfig, sought: SoughtBy) {
  const { ids } = await findAll(db, integration, sought)
  return CONTENTS.filter((content) => (ids.get(content)?.size ?? 0) > 0)
}

const NAMED = 20

/**
 * Formats an explanation for people: first what happened to the item and why, then where each field came
 * from.
 */
export function describeExplanation(explanation: Explanation): string {
  const { integration, pinned, why, fields, marks, lastRead } = explanation
  const brought = fields.find(({ field }) => field === 'uniqueId')?.lastRun ?? null
  const withValue = fields.filter(({ value }) => value !== null)
  const without = fields.filter(({ value }) => value === null)
  return [
    `${headline(explanation)}\n`,
    ...(why === null ? [] : whyLines(why)),
    ...recordLines(explanation),
    labelled('platform', visible(explanation.platform.text)),
    ...(pinned === null
      ? []
      : [labelled('', `nothing is sent now: ${visible(describePin(integration, pinned))}`)]),
    labelled('known from', `${named(lastRead)} (${lastRead.status})`),
    ...(brought === null
      ? []
      : [
          labelled('added by', `${named(brought)}; a field without "since" below has not changed since then`),
        ]),
    ...marks.map(({ field, text, mark }) => labelled('noticed', `${field}: ${text} (${visible(mark)})`)),
    ...explanation.notes.map((note) => labelled('note', visible(note))),
    ...withValue.flatMap((field) => ['', ...fieldLines(field, brought)]),
    ...(without.length === 0
      ? []
      : ['', '  without a value', ...without.flatMap((field) => absentLines(field, brought))]),
    '',
  ].join('\n')
}

function headline(explanation: Explanation): string {
  const { integration, content, uniqueId, standing, why, platform, leftOutNext } = explanation
  const item = `${integration}: ${content} ${shownId(uniqueId)}`
  switch (standing) {
    case 'synced':
      return leftOutNext ? `${item} is left out by hand, from the next run on` : `${item} is synced`
    case 'excluded':
      return `${item} is not synced: ${why?.reason ?? ''}`
    case 'forgotten':
      return `${item} is kept out: the person was forgotten`
    case 'gone':
    case 'platform_only':
      if (platform.removed !== null) return `${item} is removed: ${visible(platform.removed.reason)}`
      return standing === 'gone'
        ? `${item} is gone at the source`
        : `${item} is on the platform, but no run ever read a record for it`
  }
}

function whyLines({ text, values, todo, since }: NonNullable<Explanation['why']>): readonly string[] {
  return [
    labelled('why', text),
    ...values.map((value, place) => labelled(place === 0 ? 'decided by' : '', at(value))),
    labelled('to do', todo),
    ...(since === null ? [] : [labelled('since', named(since))]),
  ]
}

function recordLines({ record }: Explanation): readonly string[] {
  if (record === null) return []
  const gone = record.goneSince === null ? '' : `; gone from the source since ${named(record.goneSince)}`
  const id = shownId(record.sourceId)
  return [labelled('record', `${record.resource} ${id}, in this version since ${named(record.since)}${gone}`)]
}

function fieldLines(field: ExplainedField, brought: RunAt | null): readonly string[] {
  const { value, from, references = [] } = field
  const there = from.filter((origin) => origin.there === 'value' || origin.there === 'list')
  return [
    `  ${field.field}  ${shownValue(value)}`,
    ...there.map((origin, index) => under(index === 0 ? 'from' : '', at(origin, value))),
    ...referenceLines(references),
    under('rule', `${field.rule} (${field.clause})`),
    ...historyLines(field, brought),
  ]
}

function absentLines(field: ExplainedField, brought: RunAt | null): readonly string[] {
  const places = field.from.map((origin) => at(origin)).join(', ')
  return [
    `  ${field.field}  ${visible(field.absent ?? '')}${places === '' ? '' : `: ${places}`}`,
    ...referenceLines(field.references ?? []),
    ...historyLines(field, brought),
  ]
}

/**
 * Returns lines that name the runs in which a field changed. If the field has not changed after the item was
 * created, the function returns no such lines. If the value on the platform differs, one more line shows that
 * value.
 */
function historyLines(field: ExplainedField, brought: RunAt | null): readonly string[] {
  const { firstRun, lastRun, before, value, platform } = field
  const lines: string[] = []
  if (lastRun !== null && lastRun.run !== brought?.run) {
    const until = before === null ? '' : `; before that ${shownValue(before)}`
    lines.push(under(value === null ? 'gone since' : 'since', `${named(lastRun)}${until}`))
  }
  if (lastRun !== null && firstRun !== null && firstRun.run !== lastRun.run) {
    lines.push(under('first', `set by ${named(firstRun)}, then missing for a time`))
  }
  if (platform !== undefined) lines.push(under('platform', `has ${shownValue(platform)}`))
  return lines
}

function referenceLines(references: readonly Reference[]): readonly string[] {
  const kept = references.filter(({ isKept }) => isKept)
  const out = references.filter(({ isKept }) => !isKept)
  const [first] = kept
  const isAlike = kept.every((one) => JSON.stringify(one.named) === JSON.stringify(first?.named))
  const ids = kept.slice(0, NAMED).map(({ id }) => shownId(id))
  const names =
    first !== undefined && isAlike
      ? [`${first.resource} ${ids.join(', ')}${more(kept)}`]
      : upToMost(kept, namedRecord)
  const left = upToMost(out, (one) => {
    const why = `not synced to ${one.content}, ${visible(one.reason ?? '')}`
    return `${namedRecord(one)}: ${one.reason === 'not at the source' ? one.reason : why}`
  })
  return [...names.map((text) => under('names', text)), ...left.map((text) => under('left out', text))]
}

function upToMost(references: readonly Reference[], describe: (one: Reference) => string) {
  const lines = references.slice(0, NAMED).map(describe)
  return references.length > NAMED ? [...lines, more(references)] : lines
}

function namedRecord({ id, resource, named: places }: Reference): string {
  const by = places.map((place) => `${place.resource} ${shownId(place.sourceId)} ${visible(place.path)}`)
  return `${resource} ${shownId(id)}, referred to by ${withAnd(by)}`
}

function more({ length }: readonly Reference[]): string {
  return length > NAMED ? ` … ${length - NAMED} more; --json has all` : ''
}

/**
 * Describes a place in a record of the source, and the value there. The value at the source is left out if it
 * is equal to the value of the item's field.
 */
function at(origin: ExplainedOrigin, value?: FieldValue | null): string {
  const place = `${origin.resource} ${shownId(origin.sourceId)} ${visible(origin.path)}`
  const option = origin.option === undefined ? '' : ` (${origin.option})`
  switch (origin.there) {
    case 'value':
      return `${place}${option}${isOwn(origin.value, value) ? '' : `  ${raw(origin.value)}`}`
    case 'list':
      return `${place}${option}`
    case 'no_record':
      return `${origin.resource} ${shownId(origin.sourceId)} is not at the source`
    default:
      return `${place}${option} is ${origin.there}`
  }
}

function isOwn(received: ExplainedOrigin['value'], value: FieldValue | null | undefined): boolean {
  const [own] = Array.isArray(value) && value.length === 1 ? value : [value]
  return own !== undefined && own === received
}

function raw(value: ExplainedOrigin['value']): string {
  if (value === HIDDEN) return HIDDEN
  if (typeof value === 'string') return quoted(value)
  const json = visible(JSON.stringify(value))
  return Array.isArray(value) || isJsonObject(value) ? json : digits(json)
}

function shownValue(value: FieldValue | null): string {
  if (value === null) return 'no value'
  if (isList(value)) return value.map(shownId).join(', ')
  if (typeof value !== 'string') return digits(textOf(value))
  return value === HIDDEN ? HIDDEN : quoted(value)
}

function shownId(id: string): string {
  return id === HIDDEN ? HIDDEN : word(id)
}

function labelled(label: string, text: string): string {
  return `  ${label.padEnd(10)}  ${text}`
}

function under(label: string, text: string): string {
  return `      ${label.padEnd(8)}  ${text}`
}
