import { type Mutation, mutationsOf } from './mutation.ts'

/** Proof that a resource was read to its end. Source: spec-gaps, "OData v3 style", "Envelope". */
export const ofReading: readonly Mutation[] = [
  ...mutationsOf('pipeline/extract/source-a/pages.ts', {
    'Pages of A: a short page is the end': [
      'if (chain.elements === 0) return { proof',
      'if (chain.elements < 1000) return { proof',
    ],
    'Pages of A: they do not overlap': ['urlOf(read === 1 ? 1 : read - 1)', 'urlOf(read)'],
    'Pages of A: a full answer of a source that ignores $skip is all of it': [
      'read === first.elements && read < PAGE_SIZE',
      'read === first.elements',
    ],
    'Next links: odata.nextLink is not followed': [` ?? members['odata.nextLink']`, ''],
    'Next links: another host is followed': ['next.origin !== from.origin ||', ''],
    'Next links: a chain that ends at $top is the end': [
      'isWhole: seen.size > 1 && given < PAGE_SIZE',
      'isWhole: seen.size > 1',
    ],
  }),
  ...mutationsOf('pipeline/extract/extract.ts', {
    'Overlap: its element counts twice': ['if (isOverlap) continue', ''],
    'Overlap: a page that begins with another element is read on': [
      'if (isOverlap && first !== overlap) {',
      'if (isOverlap && first === null) {',
    ],
    'A page that fails in the middle counts by half': [
      'if (isFaultOfSource && incoming.totals().elements > start.elements) await incoming.rewind(start)',
      '',
    ],
    'A source that moves is read on without reading anew': [
      'await incoming.rewind(start)\n          continue',
      'continue',
    ],
  }),
  ...mutationsOf('pipeline/extract/source-b/source.ts', {
    'Envelope: a changed total is not noticed': [
      'if (totalCount !== declared)',
      'if (totalCount === undefined)',
    ],
    'Envelope: more records than declared are not noticed': [
      'if (read > declared) throw',
      'if (read < 0) throw',
    ],
    'Envelope: a page of another number is taken': ['if (currentPage !== number)', 'if (currentPage === -1)'],
    'Envelope: the page before that comes again is the end': [
      'if (page.first === before.first && page.last === before.last && page.elements === before.elements) {',
      'if (page.elements === -1) {',
    ],
    'Version: the field of the e-mail address does not count': ['shapedBy: [config.fields]', 'shapedBy: []'],
    'Version: the time zone of sessions does not count': ['shapedBy: [timeZone]', 'shapedBy: []'],
    'fields: cancelled_at is not asked for': [
      `'reg_type_id', 'session_ids', 'cancelled_at']`,
      `'reg_type_id', 'session_ids']`,
    ],
  }),
]
