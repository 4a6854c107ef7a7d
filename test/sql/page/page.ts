import type { Dictionary } from '../../../sql/dictionary.ts'
import { diagramOf } from './diagram.ts'
import { dictionarySection } from './dictionary-section.ts'
import { fieldsSection } from './fields-section.ts'
import { placesSection } from './places-section.ts'

/**
 * Documents in which some sections are generated from the database. The other sections are written by hand.
 */
export const PAGES = ['sql/DICTIONARY.md', 'loaders/people/README.md'] as const

/** The functions that generate the sections, by the name of the section. */
const SECTIONS: Readonly<Record<string, (dictionary: Dictionary) => string>> = {
  'diagram of published': (dictionary) => diagramOf(dictionary, 'published'),
  'diagram of staging': (dictionary) => diagramOf(dictionary, 'staging'),
  places: placesSection,
  'platform fields': fieldsSection,
  dictionary: dictionarySection,
}

/**
 * Generates all sections of the documents again. A section is the text between `<!-- made: name -->` and
 * `<!-- end -->`.
 *
 * @throws if a section is missing, or if the name of a section is unknown
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
