import { type Html, html } from './html.ts'
import { grouped } from './words.ts'

/**
 * Characters that change how the text around them is read: controls and directions of writing. Line feeds and tabs are
 * shown as such; the joiners of emoji and of Persian words do no harm.
 */
const STEERING = /(?!\u200c|\u200d|[\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/**
 * A value of the source or the platform as text, whatever it holds: cut after a number of characters, and told how long
 * it is; characters that steer are written out (`\u{202e}`); its direction of writing ends with it.
 *
 * @param most characters that are shown, those that are written out counted as they are written
 */
export function value(text: string, most: number): Html {
  const { shown, isCut } = visible(text, most)
  if (!isCut) return html`<bdi>${shown}</bdi>`
  return html`<bdi>${shown}</bdi><span class="cut">… (${grouped(text.length)} characters)</span>`
}

/** As `value`, of a text that may have been cut before it came here. */
export function shortValue(text: string, most: number): Html {
  const { shown, isCut } = visible(text, most)
  return isCut ? html`<bdi>${shown}</bdi>…` : html`<bdi>${shown}</bdi>`
}

function visible(text: string, most: number): { readonly shown: string; readonly isCut: boolean } {
  let shown = ''
  let count = 0
  // A text may have millions of characters: no more of it is looked at than is shown.
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
