import type { Dictionary } from '../../../sql/dictionary.ts'
import { diagramOf } from './diagram.ts'
import { dictionarySection } from './dictionary-section.ts'
import { fieldsSection } from './fields-section.ts'
import { placesSection } from './places-section.ts'

/** Documents with sections that are made from the database; the rest of them is written by hand. */
export const PAGES = ['sql/DICTIONARY.md', 'loaders/people/README.md'] as const

/** Sections that are made, by their name. */
const SECTIONS: Readonly<Record<string, (dictionary: Dictionary) => string>> = {
  'diagram of published': (dictionary) => diagramOf(dictionary, 'published'),
  'diagram of staging': (dictionary) => diagramOf(dictionary, 'staging'),
  places: placesSection,
  'platform fields': fieldsSection,
  dictionary: dictionarySection,
}

/**
 * Makes the sections of all pages again, between `<!-- made: name -->` and `<!-- end -->`.
 *
 * @throws if a section is missing, or has a name that nothing makes
 */
export function makePages(pages: readonly string[], dictionary: Dictionary): readonly string[] {
  const found: string[] = []
  const made = pages.map((page) => makePage(page, dictionary, found))
  const missing = Object.keys(SECTIONS).filter((name) => !found.includes(name))
  if (missing.length > 0) throw new Error(`the pages have no place for ${missing.join(', ')}`)
  return made
}

function makePage(page: string, dictionary: Dictionary, found: string[]): string {
  return page.replace(/<!-- made: (.*?) -->\n[\s\S]*?<!-- end -->/g, (_, name: string) => {
    const make = SECTIONS[name]
    if (make === undefined) throw new Error(`nothing makes the section "${name}"`)
    found.push(name)
    return `<!-- made: ${name} -->\n\n${make(dictionary).trim()}\n\n<!-- end -->`
  })
}
