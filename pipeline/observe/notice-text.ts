import { CONTENTS, type NoticeState, type NotifiedEnd } from '../../sql/tables.ts'
import type { EndedRun } from '../runtime/events.ts'

/** Largest number of characters that a chat shows without cutting the message. */
const MOST_CHARACTERS = 3000

const DONE = { create: 'created', update: 'updated', handover: 'handed over', remove: 'removed' } as const
const PLANNED = {
  create: 'to create',
  update: 'to update',
  handover: 'to hand over',
  remove: 'to remove',
} as const

/** The reason of a message: the state of an integration and how it came about. */
export interface Occasion {
  /** State after the run. */
  readonly end: NotifiedEnd
  readonly state: NoticeState
  /** The state of which the receiver knows; null if it knows of none. */
  readonly before: NotifiedEnd | null
}

/** A message, from which each receiver makes its own form. */
export interface Message {
  /** Integration and state, for the subject of a mail. */
  readonly heading: string
  /** A few lines without markup. */
  readonly text: string
  /** The same for programs. */
  readonly facts: object
}

/** Makes the message about the end of a run. It contains no value of a person. */
export function messageAbout(ended: EndedRun, occasion: Occasion, at: string): Message {
  const { report, exitCode, meaning, todo } = ended
  const { integration, run, status, planHash, held, output, error = null, notes = [] } = report
  return {
    heading: headingOf(ended, occasion),
    text: noticeText(ended, occasion),
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
      error,
      planHash,
      todo,
      output,
      ...(notes.length === 0 ? {} : { notes }),
    },
  }
}

/** Makes the message with which a user tests a receiver. It has the keys of other messages. */
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
 * Says in a few lines what happened to an integration, the numbers, and the next step. The text contains no
 * value of a person.
 */
export function noticeText(ended: EndedRun, occasion: Occasion): string {
  const { report, todo } = ended
  const { held, error, output, page } = report
  const file = page ?? (output === null ? null : `${output}/report.html`)
  // An approved plan still has the finding of its guard.
  const finding = occasion.end === 'held' ? held?.detail : undefined
  const [why = ''] = (error ?? finding ?? '').split('\n')
  const lines = [
    `${headingOf(ended, occasion)}${why === '' ? '' : `. ${why}`}`,
    numbers(report),
    todo === '' ? '' : `Next: ${todo}`,
    file === null ? '' : `Report: ${file}`,
  ]
  return lines
    .filter((line) => line !== '')
    .join('\n')
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
 * Escapes a text for the key `text` of a webhook. Slack reads `<`, `>` and `&` as markup, so an unescaped
 * `<!channel>` would notify everybody.
 */
export function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Returns the message for a Teams workflow: an Adaptive Card with a heading and one paragraph per line. */
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

/** Escapes Markdown, because a TextBlock renders links and emphasis. Commands in backticks stay readable. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_[\]]/g, '\\$&')
}
