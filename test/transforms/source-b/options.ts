import type { OptionsB } from '../../../transforms/source-b/options.ts'

/** Options of Source B where the configuration says nothing. Source: spec-gaps, "Decisions". */
export const DEFAULTS: OptionsB = {
  speakerRegistrantType: 'Speaker',
  cancelledSpeakers: 'keep',
  fields: { email: 'email' },
}
