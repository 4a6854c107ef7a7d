import { type Mutation, mutationsOf } from './mutation.ts'

/** What is staged, planned, sent and written. Source: design 4, 8, 9, 11. */
export const ofOutcomes: readonly Mutation[] = [
  ...mutationsOf('loaders/staging/merge.ts', {
    'Two records with one id: both count': [
      `where('record.ordinal', '<', where.ref('repeated.last'))`,
      `where('record.ordinal', '<', 0)`,
    ],
    'Two records with one id: the earlier counts': [
      `where('record.ordinal', '<', where.ref('repeated.last'))`,
      `where('record.ordinal', '=', where.ref('repeated.last'))`,
    ],
    'An uncertified read closes what was not seen': [
      'const isOver = complete\n        ?',
      'const isOver = complete || true\n        ?',
    ],
    'A table that was lost is believed': [
      'if (!(await holdsTotals(transaction, merge.incoming, merge.totals))) throw new IncomingLostError(merge)',
      '',
    ],
    'An unchanged record is written again': [
      `whereRef('record.version_hash', '=', 'staged.version_hash')`,
      `whereRef('record.version_hash', '=', 'staged.source_id')`,
    ],
  }),
  ...mutationsOf('transforms/desired.ts', {
    'Decisions: a changed detail is not written': [`.whereRef('outcome.detail', '=', 'decision.detail')`, ''],
    'Items: excluded records are desired': [
      `            .where('outcome.reason', 'is', null)\n            .whereRef('outcome.content', '=', 'item.content')`,
      `            .whereRef('outcome.content', '=', 'item.content')`,
    ],
    'Items: a changed field is not desired': [`.whereRef('outcome.fields', '=', 'item.fields'),`, ','],
  }),
  ...mutationsOf('transforms/plan.ts', {
    'Plan: what is as before is sent again': ['desired.fields is distinct from known.fields', 'true'],
    'Removals: inferred ones are planned after an incomplete read': [
      'sql<boolean>`difference.content = any (${[...scope.complete]}::text[])`,',
      'sql<boolean>`true`,',
    ],
    'Removals: attested ones wait for a complete read': ['where.not(isInferred),', ''],
    'Removals: attested ones count as inferred': [
      '<> all (${[FORGOTTEN, ...scope.attested]}::text[])',
      '<> all (${[]}::text[])',
    ],
    'removals.action: keep removes': [`scope.removals === 'keep'`, 'false'],
    'onHold: withholdRemovals withholds everything': [`    .where('action', '=', 'remove')\n`, ''],
    'Removals: a record that was not read in this run may be removed': [
      `.whereRef('unseen.source_id', '=', 'decision.source_id')`,
      `.whereRef('unseen.source_id', '=', 'decision.content')`,
    ],
    'Operations: removals do not come last': [`order by difference.action = 'remove', `, 'order by '],
    'Operations: speakers come before attendees': [
      `['attendees', 'speakers', 'agenda']`,
      `['speakers', 'attendees', 'agenda']`,
    ],
    'Operations: they run from the last unique ID to the first': [
      'difference.unique_id collate "C"\n',
      'difference.unique_id collate "C" desc\n',
    ],
    'Plan hash: it does not cover the base': ['scope.target, scope.base])', 'scope.target])'],
    'Plan hash: it does not cover values': [
      `difference.unique_id, \${reason}, difference.after\n`,
      `difference.unique_id, \${reason}\n`,
    ],
  }),
  ...mutationsOf('loaders/platform/outgoing.ts', {
    'Passwords: attendees that are updated get one': [
      `isNew: action === 'create' && content`,
      `isNew: action !== 'remove' && content`,
    ],
    'Operations: withheld removals are sent': [
      `.where('state', '<>', 'withheld').where('seq'`,
      `.where('seq'`,
    ],
    'Operations: fields stand in the order of the database': [
      'fields: inPlatformOrder(content, after)',
      'fields: after',
    ],
  }),
  ...mutationsOf('loaders/platform/known-items.ts', {
    'Acknowledged: removed items stay known': [
      `.where('change.action', '=', 'remove')`,
      `.where('change.action', '=', 'create')`,
    ],
    'Acknowledged: the base does not move': [`eb('base', '+', eb.lit(1))`, `eb('base', '+', eb.lit(0))`],
  }),
  ...mutationsOf('loaders/platform/outbox.ts', {
    'Outbox: what was rejected counts as being there': [
      `state: status === 'failed' ? 'failed' : 'applied',`,
      `state: 'applied',`,
    ],
    'Outbox: a process that was left behind records its answer': [
      `        await requireApplying(transaction, run)
        await closeBatch(transaction, run, batch, 'answered', now())
`,
      `        await closeBatch(transaction, run, batch, 'answered', now())
`,
    ],
    'Outbox: removals go although upserts failed': ['if (failed === undefined) return false', 'return false'],
    'Passwords: they stay sealed after the attendee has landed': [
      'if (attendees.length > 0) {',
      'if (attendees.length < 0) {',
    ],
  }),
  ...mutationsOf('loaders/platform/http.ts', {
    'Results that do not fit are believed': [
      'return isWhole && isFitting ? results : null',
      'return results',
    ],
    'A batch that is refused fails whole': [
      'if (batch.operations.length > 1) {',
      'if (batch.operations.length > 99) {',
    ],
    'Read back: pages in no order are believed': [
      'if (Buffer.compare(last, bytes) >= 0)',
      'if (bytes.length < 0)',
    ],
    'A key with another body is sent': ['if (!batch.isAsStored)', 'if (false)'],
    'Read back: what is there with other fields counts as landed': [
      ': there !== undefined && isDeepStrictEqual({ ...there }, { ...operation.fields })',
      ': there !== undefined',
    ],
  }),
  ...mutationsOf('loaders/platform/jsonl.ts', {
    'operations.jsonl: the trailer counts the header': ['let count = 0', 'let count = 1'],
  }),
  ...mutationsOf('loaders/audit/csv.ts', {
    'CSV: full-width formula characters are not guarded': ['\\n＝＋－＠', '\\n'],
    "CSV: a ' of the value's own is not guarded": [`＝＋－＠']/`, '＝＋－＠]/'],
    'CSV: a tab is not guarded': ['\\-@\\t\\r', '\\-@\\r'],
    'CSV: \\ in a list is not escaped': ['/[\\\\;]/g', '/[;]/g'],
    'CSV: lines end with LF': [`record_delimiter: '\\r\\n'`, `record_delimiter: '\\n'`],
    'CSV: text is not quoted': [`    quoted_string: true,\n`, ''],
  }),
  ...mutationsOf('loaders/audit/decisions.ts', {
    'decisions.csv: a removal is not told': [`action === 'remove' ? 'remove' : null`, 'null'],
    'decisions.csv: the locale orders it': [`order.collate('C')`, `order.collate('und-x-icu')`],
    'decisions.csv: repeated records are quarantined': [`.then('excluded')`, `.then('quarantined')`],
    'decisions.csv: the record that counts comes first': [
      `const LAST_PLACE = '9223372036854775807'`,
      `const LAST_PLACE = '0'`,
    ],
  }),
  ...mutationsOf('loaders/audit/changes.ts', {
    'changes.csv: before and after are swapped': [
      'before: fieldCell(mask.field(content, name, before?.[name])),\n        after: fieldCell(mask.field(content, name, after?.[name])),',
      'before: fieldCell(mask.field(content, name, after?.[name])),\n        after: fieldCell(mask.field(content, name, before?.[name])),',
    ],
  }),
  ...mutationsOf('loaders/audit/planned-actions.ts', {
    'decisions.csv: withheld removals are told': [`    .where('state', '<>', 'withheld')\n`, ''],
    'agenda.csv and its like: the last item of a page counts as unchanged': [
      `'unique_id', '<=', last)`,
      `'unique_id', '<', last)`,
    ],
  }),
  ...mutationsOf('loaders/audit/items.ts', {
    'agenda.csv and its like: items that stay count as updated': [`?? 'unchanged'`, `?? 'update'`],
  }),
]
