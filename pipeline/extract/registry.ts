import type { Kysely } from 'kysely'
import type { Content, Hold, Tables } from '../../sql/tables.ts'
import { makeDesired } from '../../transforms/desired.ts'
import { speakerTypeHold } from '../../transforms/guards.ts'
import { transformA } from '../../transforms/source-a/index.ts'
import { transformB } from '../../transforms/source-b/index.ts'
import type { SourceTransform } from '../../transforms/source-transform.ts'
import { type IntegrationConfig, resolveSecret, type SecretEnvironment } from '../config.ts'
import type { Environment } from '../environment.ts'
import type { HttpLimits } from './http.ts'
import type { Retries } from './retry.ts'
import type { Resource, Source } from './source.ts'
import { sourceA } from './source-a/source.ts'
import { sourceB, urlOfB } from './source-b/source.ts'
import { tokenSource } from './source-b/token.ts'

/** What a source needs to be read. */
export interface SourceContext {
  readonly environment: Environment
  readonly secrets: SecretEnvironment
  readonly limits: HttpLimits
  readonly retries: Retries
}

/** A source as an integration uses it: how it is read, and what its records become. */
export interface ConnectedSource {
  readonly source: Source
  /** Resource of the records of each content that the source can serve. */
  readonly resourceOf: ReadonlyMap<Content, string>
  /** Reasons that a record states itself. */
  readonly attested: readonly string[]
  /** Makes decisions and desired items from what is staged. */
  makeDesired(transaction: Kysely<Tables>, runId: string): Promise<void>
  /** Resources that the integration's contents need. */
  readonly resources: readonly Resource[]
  /** What speaks against believing this source, whatever the plan. */
  hold(transaction: Kysely<Tables>): Promise<Hold | null>
}

/** Connects an integration to its source; a new source is one more case. */
export function connect(integration: IntegrationConfig, context: SourceContext): ConnectedSource {
  const { source } = integration
  switch (source.type) {
    case 'a':
      return join(integration, sourceA(source), transformA, source, async () => null)
    case 'b': {
      const secret = (key: 'apiKey' | 'authenticationSecret') =>
        resolveSecret(source[key], context.secrets, `source.${key} of ${integration.id}`)
      const credentials = { apiKey: secret('apiKey'), authenticationSecret: secret('authenticationSecret') }
      const tokens = tokenSource(urlOfB(source, 'oauth2/token.json'), credentials, context)
      const hold = async (transaction: Kysely<Tables>) =>
        integration.content.includes('speakers')
          ? speakerTypeHold(transaction, integration.id, source.speakerRegistrantType)
          : null
      return join(integration, sourceB(source, tokens), transformB, source, hold)
    }
  }
}

function join<Options>(
  integration: IntegrationConfig,
  source: Source,
  transform: SourceTransform<Options>,
  options: Options,
  hold: ConnectedSource['hold'],
): ConnectedSource {
  const scope = { integrationId: integration.id, contents: integration.content, options }
  return {
    source,
    resourceOf: new Map(transform.contents.map(({ content, resource }) => [content, resource])),
    resources: source.resources.filter(({ neededFor }) =>
      neededFor.some((content) => integration.content.includes(content)),
    ),
    attested: transform.attested,
    makeDesired: (transaction, runId) => makeDesired(transaction, transform, scope, runId),
    hold,
  }
}
