import type { OptionsB } from '../../../transforms/source-b/options.ts'

/** The options of Source B if the configuration sets none. Source: transforms/RULES.md#decisions. */
export const DEFAULTS: OptionsB = {
  speakerRegistrantType: 'Speaker',
  cancelledSpeakers: 'keep',
  fields: { email: 'email' },
}
