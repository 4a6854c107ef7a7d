import { findMissingSpeakerType } from '../../../transforms/guards/speaker-type.ts'
import { transformB } from '../../../transforms/source-b/index.ts'
import { resolveSecret } from '../../settings/secrets.ts'
import type { SourceType } from '../contract/source-type.ts'
import { findingsOfB } from './check.ts'
import { tallyTypes } from './check-speaker-type.ts'
import { shapeB } from './config.ts'
import { sourceB, urlOfB } from './source.ts'
import { tokenSource } from './token.ts'

/** Source B: a registration system, read with a token that an API key is exchanged for. */
export const sourceTypeB: SourceType<typeof shapeB> = {
  name: 'b',
  title: 'Source B',
  shape: shapeB,
  transform: transformB,
  secrets: ['apiKey', 'authenticationSecret'],
  connect(config, integrationId, context) {
    const secret = (key: 'apiKey' | 'authenticationSecret') =>
      resolveSecret(config[key], context.secrets, `source.${key} of ${integrationId}`)
    const credentials = { apiKey: secret('apiKey'), authenticationSecret: secret('authenticationSecret') }
    return sourceB(config, tokenSource(urlOfB(config, 'oauth2/token.json'), credentials, context))
  },
  distrust: async (transaction, { integrationId, contents, options }) =>
    contents.includes('speakers')
      ? findMissingSpeakerType(transaction, integrationId, options.speakerRegistrantType)
      : null,
  tally: tallyTypes,
  findings: findingsOfB,
}
