import { type Received, type Receiver, startReceiver } from './receiver.ts'

/**
 * The largest number of characters in a Slack message. Source: docs.slack.dev, "chat.postMessage", truncating
 * content.
 */
export const MOST_OF_SLACK = 40_000
/**
 * The largest size of a message of a Teams workflow, in bytes. Source: learn.microsoft.com, "Create an
 * Incoming Webhook".
 */
export const MOST_OF_TEAMS = 28 * 1024

/** The keys of a message that have a meaning for Slack. Other keys are ignored. */
const OF_SLACK =
  'attachments blocks channel delete_original icon_emoji icon_url link_names metadata mrkdwn parse replace_original response_type thread_ts unfurl_links unfurl_media username'.split(
    ' ',
  )

/**
 * Starts a receiver that accepts the same messages as an incoming webhook of Slack, and gives the same
 * answers.
 *
 * Sources: docs.slack.dev, "Sending messages using incoming webhooks" (JSON with `text`, answer `ok`), and
 * "Improving error conditions for Incoming Webhooks" (2016-05-17). Slack ignores keys that it does not know.
 * Slack refuses a message without `text` with `no_text`, and shows a message with `text`
 * (github.com/fluxcd/flagger/pull/1031, github.com/hastic-zzz/hastic-server/issues/708).
 */
export function startSlack(): Promise<Receiver> {
  return startReceiver((message) => {
    const fault = faultForSlack(message)
    return fault === null ? [200, 'ok'] : [400, fault]
  })
}

function faultForSlack({ headers, body }: Received): string | null {
  const message = parsed(body)
  if (!isJson(headers['content-type']) || message === null) return 'invalid_payload'
  const { text } = message
  if (typeof text !== 'string' || text.trim() === '') return 'no_text'
  if (text.length > MOST_OF_SLACK) return 'msg_too_long'
  // The text must not contain markup, so the characters &, < and > must be escaped.
  if (/[<>]|&(?!(?:amp|lt|gt);)/.test(text)) return 'markup in text'
  return OF_SLACK.some((key) => key in message) ? 'a key of Slack' : null
}

/**
 * Starts a receiver that accepts the same messages as the Teams workflow "Post to a channel when a webhook
 * request is received". A message contains an Adaptive Card 1.4 and has at most 28 KB.
 *
 * Source: learn.microsoft.com, "Create and send messages", "Send Adaptive Cards using an Incoming Webhook".
 */
export function startTeams(): Promise<Receiver> {
  return startReceiver((message) => {
    const fault = faultForTeams(message)
    return fault === null ? [202, ''] : [400, fault]
  })
}

const CARD_TYPE = 'application/vnd.microsoft.card.adaptive'
/**
 * The keys of a TextBlock that the product uses, with a check of their values. Source:
 * adaptivecards.io/explorer/TextBlock.html.
 */
const TEXT_BLOCK: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => value === 'TextBlock',
  text: (value) => typeof value === 'string' && value !== '',
  wrap: (value) => typeof value === 'boolean',
  weight: (value) => ['Default', 'Lighter', 'Bolder'].includes(String(value)),
  size: (value) => ['Default', 'Small', 'Medium', 'Large', 'ExtraLarge'].includes(String(value)),
}

function faultForTeams({ headers, body }: Received): string | null {
  if (Buffer.byteLength(body) > MOST_OF_TEAMS) return 'the message is too large'
  const message = parsed(body)
  if (!isJson(headers['content-type']) || message === null) return 'no JSON'
  const { type, attachments, ...others } = message
  const [attachment, ...more] = Array.isArray(attachments) ? attachments : []
  if (type !== 'message' || more.length > 0 || Object.keys(others).length > 0)
    return 'no message with one card'
  const { contentType, contentUrl, content } = Object(attachment)
  if (contentType !== CARD_TYPE || contentUrl !== null) return 'no Adaptive Card'
  const { $schema, type: kind, version, body: blocks, ...rest } = Object(content)
  const isCard = kind === 'AdaptiveCard' && version === '1.4' && Object.keys(rest).length === 0
  if (!isCard || !String($schema).endsWith('/adaptive-card.json')) return 'no Adaptive Card 1.4'
  if (!Array.isArray(blocks) || blocks.length === 0) return 'an empty card'
  const isRight = blocks.every(
    (block) =>
      'type' in block &&
      'text' in block &&
      Object.entries(block).every(([key, value]) => TEXT_BLOCK[key]?.(value) === true),
  )
  return isRight ? null : 'a block that is not a TextBlock'
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json(?:; ?charset=utf-8)?$/i.test(contentType ?? '')
}

/** Returns the JSON object in a text, or null if the text is no JSON object or is not UTF-8. */
function parsed(body: string): Readonly<Record<string, unknown>> | null {
  if (body.includes('\ufffd')) return null
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
