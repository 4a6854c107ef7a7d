import { type Mutation, mutationsOf } from './mutation.ts'

/** What holds a plan. Source: design 11. */
export const ofGuards: readonly Mutation[] = [
  ...mutationsOf('transforms/guards/speaker-type.ts', {
    'Speaker registrant type: none of that name is no hold': [
      'if (type !== undefined || registrant !== undefined) return null',
      'if (type === undefined || registrant !== undefined) return null',
    ],
  }),
  ...mutationsOf('transforms/guards/last-applied.ts', {
    'Guards: they compare with a run that was held': [
      `eb.or([eb('run.held', 'is', null), eb('run.approved_at', 'is not', null)])`,
      'eb.lit(true)',
    ],
    'Guards: they compare with a plan that was not applied': [
      `    .where('run.applied_at', 'is not', null)\n`,
      '',
    ],
  }),
  ...mutationsOf('transforms/as-of.ts', {
    'Guards: they compare with the version that came next': ['${to} > ${runId}', '${to} >= ${runId}'],
  }),
  ...mutationsOf('transforms/guards/trip.ts', {
    'Guards: what others saw is not told': ['[first.detail, ...also]', '[first.detail]'],
    'Guards: removals are told before their cause': [
      'GUARDS.indexOf(one.guard) - GUARDS.indexOf(other.guard)',
      'GUARDS.indexOf(other.guard) - GUARDS.indexOf(one.guard)',
    ],
  }),
  ...mutationsOf('transforms/guards/emptied.ts', {
    'emptied: an empty lookup is a matter of removals': [
      'emptied.every(({ resource }) => resource.contents.length > 0)',
      'true',
    ],
  }),
  ...mutationsOf('transforms/guards/blackout.ts', {
    'blackout: an empty list is a value': ['cardinality(${value}) > 0', 'cardinality(${value}) >= 0'],
    'blackout: half of the records will do': [
      'former / records > FORMER_SHARE',
      'former / records >= FORMER_SHARE',
    ],
    'blackout: a tenth is too few': [
      'current / records >= CURRENT_SHARE',
      'current / records > CURRENT_SHARE',
    ],
    'blackout: 19 records are enough': ['const LEAST_RECORDS = 20', 'const LEAST_RECORDS = 19'],
    'blackout: a required field needs a share too': [
      'if (isRequired && lost >= Math.max(minCount, 1)) return true\n',
      '\n',
    ],
  }),
  ...mutationsOf('transforms/guards/mass-update.ts', {
    'massUpdate: 19 are enough': ['const LEAST_UPDATES = 20', 'const LEAST_UPDATES = 19'],
    'massUpdate: the share itself is too many': ['count / items <= maxShare', 'count / items < maxShare'],
    'massUpdate: what is created counts': [`      .where('action', '=', 'update')\n`, ''],
  }),
  ...mutationsOf('transforms/guards/removals.ts', {
    'removals: attested ones count': [`    .where('inferred', '=', true)\n`, ''],
    'removals: the share itself is too much': [
      '(planned + before) / (items + before) > limits.maxShare',
      '(planned + before) / (items + before) >= limits.maxShare',
    ],
    'removals: minCount itself is too few': [
      'planned + before >= limits.minCount',
      'planned + before > limits.minCount',
    ],
    'removals: the last items may go': ['if (!isTooMuch && !isEmptied) continue', 'if (!isTooMuch) continue'],
    'removals: those of the last day do not count': ['recent.get(content) ?? 0', '0'],
    'removals: those that were approved count': [`    .where('run.approved_at', 'is', null)\n`, ''],
  }),
  ...mutationsOf('transforms/guards/check-plan.ts', {
    'massUpdate: it holds after an upgrade': [
      'applied?.productVersion !== plan.productVersion',
      'applied?.productVersion === undefined',
    ],
    'guards.blackout: false changes nothing': ['if (plan.blackout)', 'if (plan.mapped)'],
  }),
  ...mutationsOf('pipeline/plan.ts', {
    'Removals: a quarantined record proves all others gone': [
      'certified && totals.faults === 0',
      'certified || totals.faults === 0',
    ],
    'onHold: withholdRemovals lets the rest of a blackout pass': [
      'trips.every(({ onlyRemovals }) => onlyRemovals)',
      'trips.some(({ onlyRemovals }) => onlyRemovals)',
    ],
  }),
]
