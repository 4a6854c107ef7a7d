import type { Content } from '../../../sql/tables.ts'
import { wallMsAt } from '../../../transforms/rules/zones.ts'
import { counted } from '../../../transforms/texts/counted.ts'

const MARKUP: unique symbol = Symbol('markup')

/**
 * HTML or SVG markup that this product wrote. Only this file can create an `Html` value, so that no text of a
 * source can ever be used as markup.
 */
export interface Html {
  readonly [MARKUP]: string
}

type Part = Html | readonly Html[] | string | number

/**
 * Makes HTML for a page or for a part of a page. The function escapes every inserted value except values that
 * are markup already.
 */
export function html(written: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = written[0] ?? ''
  parts.forEach((part, index) => {
    markup += toMarkup(part) + (written[index + 1] ?? '')
  })
  return { [MARKUP]: markup }
}

export const nothing: Html = html``

export function toPage(page: Html): string {
  return page[MARKUP]
}

export function bytesOf(part: Html): number {
  return Buffer.byteLength(part[MARKUP])
}

/** Makes the style element of a page. The style sheet is the only text in a page that is not escaped. */
export function styleOf(css: string): Html {
  if (css.includes('<')) throw new Error('a style sheet that holds "<" could end its own tag')
  return { [MARKUP]: `<style>${css}</style>` }
}

function toMarkup(part: Part): string {
  if (typeof part === 'string') return escaped(part)
  if (typeof part === 'number') return String(part)
  return MARKUP in part ? part[MARKUP] : part.map((one) => one[MARKUP]).join('')
}

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '`': '&#96;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => REFERENCES[character] ?? '')
}

/** Makes a table with a caption. A heading that begins with `#` marks a column of numbers. */
export function table({
  caption,
  head,
  rows,
}: {
  readonly caption: string
  readonly head: readonly string[]
  /** Table rows (`tr`), or `tbody` elements that contain rows. */
  readonly rows: readonly Html[]
}): Html {
  const headings = head.map((title) =>
    title.startsWith('#')
      ? html`<th scope="col" class="n">${title.slice(1)}</th>`
      : html`<th scope="col">${title}</th>`,
  )
  return html`<table><caption>${caption}</caption><thead><tr>${headings}</tr></thead>
${rows}</table>
`
}

/**
 * Lets a wide part of the page scroll sideways with mouse or keyboard, so that the page itself need not
 * scroll sideways.
 */
export function scrolling(label: string, part: Html): Html {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${part}</div>`
}

export function numberCell(count: number): Html {
  return html`<td class="n">${grouped(count)}</td>`
}

/** Makes a table cell for a count that may be missing. */
export function optionalCell(count: number | null): Html {
  return count === null ? html`<td class="n"><span class="none">–</span></td>` : numberCell(count)
}

/**
 * Marks a text as good news, bad news or a warning. In addition to the colour the badge shows a sign, because
 * many people cannot distinguish the colours.
 */
export function badge(kind: 'good' | 'bad' | 'warn', text: string): Html {
  const sign = { good: '✓', bad: '✗', warn: '!' }[kind]
  return html`<span class="verdict ${kind}"><span class="sign" aria-hidden="true">${sign}</span> ${text}</span>`
}

/**
 * Control characters and changes of writing direction: characters that change how the text around them is
 * shown. Line feeds, tabs and the harmless joiners in emoji and Persian words are not among these characters.
 */
const STEERING = /(?!\u200c|\u200d|[\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/**
 * Shows a value of the source or the platform so that the value cannot change the page around it. A long text
 * is cut, and its full length is shown. Control and direction characters are shown as escapes (`\u{202e}`).
 * The writing direction of the text does not affect the text after it.
 *
 * @param most maximum number of characters shown; an escape counts as several characters
 */
export function value(text: string, most: number): Html {
  const { shown, isCut } = visible(text, most)
  if (!isCut) return html`<bdi>${shown}</bdi>`
  return html`<bdi>${shown}</bdi><span class="cut">… (${grouped(text.length)} characters)</span>`
}

/**
 * Shows a text that may already be cut. The function works as `value` does, but does not show the full
 * length.
 */
export function shortValue(text: string, most: number): Html {
  const { shown, isCut } = visible(text, most)
  return isCut ? html`<bdi>${shown}</bdi>…` : html`<bdi>${shown}</bdi>`
}

function visible(text: string, most: number): { readonly shown: string; readonly isCut: boolean } {
  let shown = ''
  let count = 0
  // A text may have millions of characters, so only characters that may be shown are processed.
  for (const character of text.slice(0, 3 * most + 3).replaceAll('\r\n', '\n')) {
    const written = character.replace(STEERING, writtenOut)
    count += written === character ? 1 : written.length
    if (count > most) return { shown, isCut: true }
    shown += written
  }
  return { shown, isCut: false }
}

function writtenOut(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

export const CONTENT_TITLE: Readonly<Record<Content, string>> = {
  agenda: 'Agenda',
  speakers: 'Speakers',
  attendees: 'Attendees',
}

/** Formats a count as `1,234,567`, in the same way for every locale. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

/** Formats a count with its noun: `1 change`, `2,000 changes`. */
export function groupedCount(count: number, noun: string): string {
  return counted(count, noun, grouped)
}

/** Formats `2031-05-04T09:00:00.000Z` as `2031-05-04 09:00:00 UTC`. */
export function inUtc(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`
}

/** Formats an instant as local time of a zone: `2031-05-04 11:00:00`. @param timeZone null for UTC */
export function inZone(instant: string, timeZone: string | null): string {
  const ms = Date.parse(instant)
  const wall = new Date((timeZone === null ? null : wallMsAt(ms, timeZone)) ?? ms)
  return wall.toISOString().slice(0, 19).replace('T', ' ')
}

/** Formats the time between two instants: `2 h 5 min`, `3 min 20 s` or `8 s`. */
export function tookFrom(start: string, end: string): string {
  const seconds = Math.round((Date.parse(end) - Date.parse(start)) / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${grouped(hours)} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

/**
 * Formats a day as `Monday, 10 March 2031`. @param wallMs local time in milliseconds since 1970, calculated
 * as if the local time were UTC
 */
export function dayInWords(wallMs: number): string {
  const date = new Date(wallMs)
  const inEnglish = (part: 'weekday' | 'month') =>
    date.toLocaleDateString('en-US', { [part]: 'long', timeZone: 'UTC' })
  return `${inEnglish('weekday')}, ${date.getUTCDate()} ${inEnglish('month')} ${date.getUTCFullYear()}`
}

const PROOFS: Readonly<Record<string, string>> = {
  overlap: 'the last page held only the record that was known already',
  'empty page': 'the last page was empty',
  'last link': 'the source named no further page',
  'total met': 'as many records came as the source declared',
  'unpaged array': 'the source answers with everything at once',
  none: 'no proof',
}

export function proofInWords(proof: string): string {
  return PROOFS[proof] ?? proof
}
