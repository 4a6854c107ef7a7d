import type { OptionsB } from '../../../transforms/source-b/options.ts'

/** Options of Source B for a configuration that sets none. Source: transforms/RULES.md#decisions. */
export const DEFAULTS: OptionsB = {
  speakerRegistrantType: 'Speaker',
  cancelledSpeakers: 'keep',
  fields: { email: 'email' },
}
