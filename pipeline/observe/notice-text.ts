import { join } from 'node:path'
import { CONTENTS, type NoticeState, type NotifiedEnd } from '../../sql/tables.ts'
import { changesInPlainWords } from '../../transforms/texts/in-the-app.ts'
import { STATUS_PAGE } from '../context/pack-folder.ts'
import type { EndedRun } from '../runtime/events.ts'
import type { MessageFacts } from '../schemas/webhook.ts'

/** Maximum number of characters that a chat shows without cutting the message. */
const MOST_CHARACTERS = 3000

const DONE = { create: 'created', update: 'updated', handover: 'handed over', remove: 'removed' } as const
const PLANNED = {
  create: 'to create',
  update: 'to update',
  handover: 'to hand over',
  remove: 'to remove',
} as const

/** Why a message is sent: the state of an integration and the state before. */
export interface Occasion {
  /** State of the integration after the run. */
  readonly end: NotifiedEnd
  readonly state: NoticeState
  /** State that the receiver knows from the last message; null if it knows of no state. */
  readonly before: NotifiedEnd | null
}

const asIs = (text: string) => text

/** A message, from which each receiver makes the format that it sends. */
export interface Message {
  /** Integration and state, which are the subject of a mail. */
  readonly heading: string
  /** The message as a few lines of plain text. */
  readonly text: string
  /** The message as data for programs. */
  readonly facts: MessageFacts
}

/**
 * Makes the message about the end of a run. The message contains no personal data.
 *
 * @param named adds the configuration to each command that a text names
 */
export function messageAbout(
  ended: EndedRun,
  occasion: Occasion,
  at: string,
  outputFolder: string,
  named = asIs,
): Message {
  const { report, exitCode, meaning } = ended
  const { integration, run, status, planHash, held, output, error = null, notes = [] } = report
  return {
    heading: headingOf(ended, occasion),
    text: noticeText(ended, occasion, outputFolder, named),
    facts: {
      end: occasion.end,
      state: occasion.state,
      at,
      integration,
      run,
      status,
      exitCode,
      meaning,
      guard: held?.guard ?? null,
      detail: held?.detail ?? null,
      error: error === null ? null : named(error),
      planHash,
      todo: named(ended.todo),
      output,
      ...(notes.length === 0 ? {} : { notes: notes.map(named) }),
    },
  }
}

/** Makes the message with which a user tests a receiver. The message has the same keys as other messages. */
export function testMessage(
  on: readonly NotifiedEnd[],
  of: readonly string[] | undefined,
  at: string,
): Message {
  const heading = 'test message'
  const integrations = of === undefined ? 'all integrations' : of.join(', ')
  const nothing = { integration: null, run: null, status: null, exitCode: null, meaning: heading }
  const noPlan = { guard: null, detail: null, error: null, planHash: null, todo: '', output: null }
  return {
    heading,
    text: `event-sync: ${heading}\nThis receiver gets messages about ${integrations}, on: ${on.join(', ')}`,
    facts: { end: null, state: 'test', at, ...nothing, ...noPlan },
  }
}

function headingOf({ report, meaning }: EndedRun, { end, state, before }: Occasion): string {
  const { integration, held } = report
  const what = end === 'held' && held !== null ? `held by ${held.guard}` : meaning
  switch (state) {
    case 'changed':
      return `${integration}: ${what} (before: ${before})`
    case 'lasting':
      return `${integration}: still ${what}`
    case 'over':
      return end === 'finished'
        ? `${integration} is up to date again`
        : `${integration}: no longer ${before}, now ${what}`
    default:
      return `${integration}: ${what}`
  }
}

/**
 * Returns a few lines that say what happened to an integration, the numbers, and the next step. If a plan is
 * held, the text begins with what would change in the app, in plain words. The text of a message contains no
 * personal data.
 */
export function noticeText(ended: EndedRun, occasion: Occasion, outputFolder: string, named = asIs): string {
  const { report, todo } = ended
  const { held, error, output, status } = report
  // The report of an approved plan still has the finding that held the plan. The text shows the finding only
  // if the run is held now.
  const finding = occasion.end === 'held' ? held?.detail : undefined
  const [why = ''] = (error ?? finding ?? '').split('\n')
  const plain = status === 'held' ? changesInPlainWords(report.changes) : ''
  const first = plain === '' ? why : plain
  const lines = [
    `${headingOf(ended, occasion)}${first === '' ? '' : `. ${first}`}`,
    plain === '' ? numbers(report) : `Why: ${why}`,
    todo === '' ? '' : `Next: ${todo}`,
    // If another plan waits, the page of the earlier plan is deleted, and no new message is sent. Therefore
    // the message links to the status page, which always links to the page of the plan that waits.
    status === 'held'
      ? `Page: ${join(outputFolder, STATUS_PAGE)} links to the plan that waits, and to a page without names that you can forward`
      : '',
    output === null ? '' : `Report: ${output}/report.html`,
  ]
  return named(lines.filter((line) => line !== '').join('\n'))
    .slice(0, MOST_CHARACTERS)
    .toWellFormed()
}

function numbers({ status, changes }: EndedRun['report']): string {
  const words = status === 'finished' ? DONE : PLANNED
  return CONTENTS.flatMap((content) => {
    const counts = changes[content]
    const parts = (['create', 'update', 'handover', 'remove'] as const).flatMap((action) => {
      const count = counts[action] ?? 0
      return count === 0 ? [] : [`${count} ${words[action]}`]
    })
    return parts.length === 0 ? [] : [`${content}: ${parts.join(', ')}`]
  }).join('; ')
}

/**
 * Escapes a text for the key `text` of a webhook. Slack reads `<`, `>` and `&` as markup. An unescaped
 * `<!channel>` would notify everybody in the channel.
 */
export function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/**
 * Makes the message for a Teams workflow: an Adaptive Card with a heading and one paragraph for each line.
 */
export function teamsMessage(text: string): object {
  const [heading = '', ...lines] = text.split('\n')
  const block = (line: string, more: object) => ({
    type: 'TextBlock',
    text: escapeMarkdown(line),
    wrap: true,
    ...more,
  })
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(heading, { weight: 'Bolder', size: 'Medium' }),
            ...lines.map((line) => block(line, {})),
          ],
        },
      },
    ],
  }
}

/**
 * Escapes Markdown, because a TextBlock (a text in an Adaptive Card) shows links and emphasis. Commands in
 * backticks are not escaped, so that people can read them.
 */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_[\]]/g, '\\$&')
}
