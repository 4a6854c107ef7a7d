import type { Dictionary } from '../../../sql/dictionary.ts'
import { diagramOf } from './diagram.ts'
import { dictionarySection } from './dictionary-section.ts'
import { fieldsSection } from './fields-section.ts'
import { placesSection } from './places-section.ts'

/** Sections of sql/README.md that are made, by their name; the rest of the page is written by hand. */
const SECTIONS: Readonly<Record<string, (dictionary: Dictionary) => string>> = {
  'diagram of published': (dictionary) => diagramOf(dictionary, 'published'),
  'diagram of staging': (dictionary) => diagramOf(dictionary, 'staging'),
  places: placesSection,
  'platform fields': fieldsSection,
  dictionary: dictionarySection,
}

/**
 * Makes the sections of the page again, between `<!-- made: name -->` and `<!-- end -->`.
 *
 * @throws where a section is missing, or one stands there that nothing makes
 */
export function makePage(page: string, dictionary: Dictionary): string {
  const found: string[] = []
  const made = page.replace(/<!-- made: (.*?) -->\n[\s\S]*?<!-- end -->/g, (_, name: string) => {
    const make = SECTIONS[name]
    if (make === undefined) throw new Error(`nothing makes the section "${name}"`)
    found.push(name)
    return `<!-- made: ${name} -->\n\n${make(dictionary).trim()}\n\n<!-- end -->`
  })
  const missing = Object.keys(SECTIONS).filter((name) => !found.includes(name))
  if (missing.length > 0) throw new Error(`the page has no place for ${missing.join(', ')}`)
  return made
}
