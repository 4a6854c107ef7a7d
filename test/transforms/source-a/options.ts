import type { OptionsA } from '../../../transforms/source-a/options.ts'

/** Options of Source A for a configuration that sets none. Source: transforms/RULES.md#decisions. */
export const DEFAULTS: OptionsA = {
  speakers: 'listed',
  includeHidden: false,
  includePending: false,
  oneToOneTypes: ['1:1 Meeting'],
  locationSeparator: ' - ',
}
