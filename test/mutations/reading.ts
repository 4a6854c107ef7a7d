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
      'read === firstRead && read < PAGE_SIZE',
      'read === firstRead',
    ],
    'Next links: odata.nextLink is not followed': [` ?? members['odata.nextLink']`, ''],
    'Next links: they lead anywhere': ['next === null || !isBelow(next, from)', 'next === null'],
    'Next links: a chain that ends at $top is the end': [
      'isWhole: seen.size > 1 && elements + overlapping < PAGE_SIZE',
      'isWhole: seen.size > 1',
    ],
    'Next links: their pages do not overlap': ['last === null ? null : overlappedUrl(link)', 'null'],
    'Next links: an overlap takes an element from the end of the chain': [
      'String(Number(top) + 1)',
      'String(top)',
    ],
  }),
  ...mutationsOf('pipeline/extract/page-reader.ts', {
    'Overlap: its element counts twice': ['if (isOverlap) continue', ''],
    'Overlap: a page that begins with another element is read on': [
      'if (isOverlap && first !== overlap) {',
      'if (isOverlap && first === null) {',
    ],
    'A page that fails in the middle counts by half': [
      'if (isFaultOfSource && sink.totals().elements > start.elements) await sink.rewind(start)',
      '',
    ],
    'A refused token is not renewed': ['if (answer.status !== 401 ||', 'if (answer.status > 0 ||'],
  }),
  ...mutationsOf('pipeline/extract/read-to-proof.ts', {
    'A source that moves is read on without reading anew': ['      await reading.restart()\n', ''],
    'A source that moves is read again without end': [
      'if (readings >= MAX_READINGS) {',
      'if (readings >= 99) {',
    ],
  }),
  ...mutationsOf('pipeline/extract/read-resource.ts', {
    'A source that keeps moving is certified': ['certified: ending !== null,', 'certified: true,'],
    'Resume: what shapes the rows does not count': ['    resource.shapedBy,\n', ''],
  }),
  ...mutationsOf('pipeline/extract/extract.ts', {
    'Resume: a reading is continued however old it is': [
      'Date.parse(savedAt) > oldestMs',
      'savedAt !== null',
    ],
    'Resume: a reading of another shape is continued': ['shape === shapes.get(resource) &&', ''],
    'Resume: tables of runs that died stay': [
      '  await database.transaction((transaction) => dropLeftReadings(transaction, integrationId, runId))\n',
      '',
    ],
  }),
  ...mutationsOf('loaders/staging/readings.ts', {
    'Resume: a table that lost records is believed': [
      '!(await holdsTotals(transaction, name, from.totals))',
      'from.totals.elements < 0',
    ],
    'Resume: records that came after the last save stay': [
      `  await transaction.deleteFrom(name).where('ordinal', '>', from.totals.elements).execute()\n`,
      '',
    ],
  }),
  ...mutationsOf('pipeline/extract/below.ts', {
    'Redirects: another origin is followed': ['url.origin === within.origin &&', ''],
  }),
  ...mutationsOf('pipeline/extract/encoding.ts', {
    'Answers: another compression than gzip is taken as it is': [
      `if (encoding !== 'gzip' && encoding !== 'x-gzip') {`,
      'if (encoding.length > 99) {',
    ],
  }),
  ...mutationsOf('pipeline/config/encryption.ts', {
    'Addresses: a name that begins like this machine is taken for it': [
      `if (isIP(host) === 4) return host.startsWith('127.')`,
      `if (host.startsWith('127.')) return true`,
    ],
  }),
  ...mutationsOf('pipeline/extract/source-b/source.ts', {
    'Envelope: a changed total is not noticed': [
      'if (totalCount !== declared)',
      'if (totalCount === undefined)',
    ],
    'Envelope: more records than declared are not noticed': [
      'if (standing.read > declared) {',
      'if (standing.read < 0) {',
    ],
    'Envelope: a page of another number is taken': ['if (currentPage !== number)', 'if (currentPage === -1)'],
    'Envelope: the page before that comes again is the end': [
      'if (isSame(page, standing)) {',
      'if (page.elements === -1) {',
    ],
    'Envelope: without a total, a page that changed is not noticed': [
      'if (!isSame(again, before))',
      'if (false)',
    ],
    'Version: the field of the e-mail address does not count': ['shapedBy: [config.fields]', 'shapedBy: []'],
    'Version: the time zone of sessions does not count': ['shapedBy: [timeZone]', 'shapedBy: []'],
    'fields: cancelled_at is not asked for': [
      `'reg_type_id', 'session_ids', 'cancelled_at']`,
      `'reg_type_id', 'session_ids']`,
    ],
  }),
]
