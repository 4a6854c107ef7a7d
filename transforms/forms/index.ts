import { flag } from './flag.ts'
import type { Form } from './form.ts'
import { list } from './list.ts'
import { number } from './number.ts'
import { text } from './text.ts'
import { url } from './url.ts'

/** What a custom field can be, by what `as` says in event-sync.yaml. */
export const FORMS = { text, number, flag, url, list } as const satisfies Readonly<Record<string, Form>>

/** @param as of a checked configuration */
export function formOf(as: string): Form {
  const form = Object.entries(FORMS).find(([name]) => name === as)?.[1]
  if (form === undefined) throw new Error(`there is no form "${as}" of a field`)
  return form
}
