import type { Content } from '../../../sql/tables.ts'
import { isTimeField } from '../../../transforms/rules/platform.ts'
import { type Html, html, inZone, value } from './html.ts'

/**
 * Maximum number of characters that a report shows of a value. With this limit, 500 fields with the longest
 * values take about 1 MB.
 */
export const MOST_CHARACTERS = 160

/** A platform field of an item, with the time zone of the event; the zone is null for UTC. */
export interface ShownField {
  readonly content: Content
  readonly name: string
  readonly timeZone: string | null
}

/**
 * Makes the content of a table cell that shows the value of a platform field. A time is shown in the zone of
 * the event.
 */
export function cell(text: string | null, { content, name, timeZone }: ShownField): Html {
  if (text === null)
    return html`<span class="none"><span aria-hidden="true">–</span><span class="unseen">none</span></span>`
  const isTime = isTimeField(content, name) && !Number.isNaN(Date.parse(text))
  return isTime ? html`${inZone(text, timeZone)}` : value(text, MOST_CHARACTERS)
}
