import { CONTENTS } from '../../sql/tables.ts'
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

/**
 * Says in a few lines what happened to an integration, the numbers, and the next step. The text contains no
 * value of a person.
 */
export function noticeText({ report, meaning, todo }: EndedRun): string {
  const { integration, held, error, output, page } = report
  const file = page ?? (output === null ? null : `${output}/report.html`)
  const [why = ''] = (error ?? held?.detail ?? '').split('\n')
  const what = held === null ? meaning : `held by ${held.guard}`
  const lines = [
    `${integration}: ${what}${why === '' ? '' : `. ${why}`}`,
    numbers(report),
    todo === '' ? '' : `Next: ${todo}`,
    file === null ? '' : `Report: ${file}`,
  ]
  return lines
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, MOST_CHARACTERS)
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
