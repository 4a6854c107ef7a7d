import type { Kysely } from 'kysely'
import type { Content, Tables } from '../../sql/tables.ts'
import { makeDesired } from '../../transforms/desired.ts'
import type { MappedContent } from '../../transforms/guards/blackout.ts'
import type { Trip } from '../../transforms/guards/trip.ts'
import type { IntegrationConfig } from '../config.ts'
import { resourcesOf, SOURCES } from './registry.ts'
import type { Resource, Source } from './source.ts'
import type { SourceContext, SourceShape, SourceType } from './source-type.ts'

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

/** The source of an integration, to be given the configuration of that integration only. */
export function sourceTypeOf({ type }: IntegrationConfig['source']): SourceType<SourceShape> {
  // Each takes the keys of its own: the types cannot know that these go together.
  return SOURCES[type] as unknown as SourceType<SourceShape>
}

/** Connects an integration to its source. */
export function connect(integration: IntegrationConfig, context: SourceContext): ConnectedSource {
  const { id: integrationId, content: contents, source: config } = integration
  const { transform, ...type } = sourceTypeOf(config)
  const source = type.connect(config, integrationId, context)
  return {
    source,
    resourceOf: resourcesOf(config.type),
    resources: source.resources.filter(({ neededFor }) =>
      neededFor.some((content) => contents.includes(content)),
    ),
    attested: transform.attested,
    mapped: transform.contents
      .filter(({ content }) => contents.includes(content))
      .flatMap(({ content, mapped }) => mapped.map((table) => ({ content, ...table }))),
    makeDesired: (transaction, runId, isStagingNew) =>
      makeDesired(transaction, transform, { integrationId, contents, options: config }, runId, isStagingNew),
    distrust: (transaction) => type.distrust(transaction, { integrationId, contents, options: config }),
  }
}
