import type { Kysely } from 'kysely'
import type { Content, Tables } from '../../sql/tables.ts'
import { makeDesired } from '../../transforms/desired.ts'
import type { MappedContent } from '../../transforms/guards/blackout.ts'
import { speakerTypeTrip } from '../../transforms/guards/speaker-type.ts'
import type { Trip } from '../../transforms/guards/trip.ts'
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
  /** Tables that fields of the integration's contents come from. */
  readonly mapped: readonly MappedContent[]
  /** Makes decisions and desired items from what is staged. */
  makeDesired(transaction: Kysely<Tables>, runId: string, isStagingNew: boolean): Promise<boolean>
  /** Resources that the integration's contents need. */
  readonly resources: readonly Resource[]
  /** What speaks against believing this source, whatever the plan. */
  distrust(transaction: Kysely<Tables>): Promise<Trip | null>
}

/** Resource of the records of each content that a source of this type can serve. */
export function resourcesOf(type: IntegrationConfig['source']['type']): ReadonlyMap<Content, string> {
  const { contents } = type === 'a' ? transformA : transformB
  return new Map(contents.map(({ content, resource }) => [content, resource]))
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
      const distrust = async (transaction: Kysely<Tables>) =>
        integration.content.includes('speakers')
          ? speakerTypeTrip(transaction, integration.id, source.speakerRegistrantType)
          : null
      return join(integration, sourceB(source, tokens), transformB, source, distrust)
    }
  }
}

function join<Options>(
  integration: IntegrationConfig,
  source: Source,
  transform: SourceTransform<Options>,
  options: Options,
  distrust: ConnectedSource['distrust'],
): ConnectedSource {
  const scope = { integrationId: integration.id, contents: integration.content, options }
  return {
    source,
    resourceOf: resourcesOf(integration.source.type),
    resources: source.resources.filter(({ neededFor }) =>
      neededFor.some((content) => integration.content.includes(content)),
    ),
    attested: transform.attested,
    mapped: transform.contents
      .filter(({ content }) => integration.content.includes(content))
      .flatMap(({ content, mapped }) => mapped.map((table) => ({ content, ...table }))),
    makeDesired: (transaction, runId, isStagingNew) =>
      makeDesired(transaction, transform, scope, runId, isStagingNew),
    distrust,
  }
}
