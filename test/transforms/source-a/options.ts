import type { OptionsA } from '../../../transforms/source-a/options.ts'

/** The options of Source A if the configuration sets none. Source: transforms/RULES.md#decisions. */
export const DEFAULTS: OptionsA = {
  speakers: 'listed',
  includeHidden: false,
  includePending: false,
  oneToOneTypes: ['1:1 Meeting'],
  locationSeparator: ' - ',
}
