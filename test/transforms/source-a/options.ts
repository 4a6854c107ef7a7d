import type { OptionsA } from '../../../transforms/source-a/options.ts'

/** Options of Source A where the configuration says nothing. Source: transforms/RULES.md#decisions. */
export const DEFAULTS: OptionsA = {
  speakers: 'listed',
  includeHidden: false,
  includePending: false,
  oneToOneTypes: ['1:1 Meeting'],
  locationSeparator: ' - ',
}
