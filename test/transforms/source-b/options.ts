import type { OptionsB } from '../../../transforms/source-b/options.ts'

/** Options of Source B where the configuration says nothing. Source: transforms/RULES.md#decisions. */
export const DEFAULTS: OptionsB = {
  speakerRegistrantType: 'Speaker',
  cancelledSpeakers: 'keep',
  fields: { email: 'email' },
}
