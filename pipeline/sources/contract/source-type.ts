import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { Content, CustomFields, Tables } from '../../../sql/tables.ts'
import type { Scope } from '../../../transforms/declare/contents.ts'
import type { SourceTransform } from '../../../transforms/declare/source.ts'
import type { GuardFinding } from '../../../transforms/guards/guard-finding.ts'
import type { StatedOffset } from '../../../transforms/rules/times.ts'
import type { JsonObject } from '../../../transforms/rules/values.ts'
import type { HttpLimits } from '../../http/http.ts'
import type { Retries } from '../../http/retry.ts'
import type { Environment } from '../../runtime/environment.ts'
import type { SecretEnvironment } from '../../settings/secrets.ts'
import type { ConfigOf, SecretReference, TypedShape } from '../../settings/values.ts'
import type { Answers, RuleResult, TallyOf } from './rule-result.ts'
import type { Source } from './source.ts'

/** Functions and values of the product that a source needs to be read. */
export interface SourceContext {
  readonly environment: Environment
  readonly secrets: SecretEnvironment
  readonly limits: HttpLimits
  readonly retries: Retries
}

/** Keys of `source` in event-sync.yaml that every source type has. Each source adds its own keys. */
export interface SourceShape extends TypedShape {
  readonly url: z.ZodType<string>
  readonly eventId: z.ZodType<string>
  readonly timeZone: z.ZodType<string | undefined>
}

/**
 * One kind of source. A source type defines its configuration, how it is read and checked, and how its
 * records become items.
 */
export interface SourceType<Shape extends SourceShape> {
  /**
   * Name of the source in the database, for example `a`. The names of the source's tables begin with this
   * name.
   */
  readonly name: string
  /** Name of the source in messages, for example `Source A`. */
  readonly title: string
  readonly shape: Shape
  readonly transform: SourceTransform<ConfigOf<Shape>>
  /** Keys of the secrets that the source needs. */
  readonly secrets: readonly string[]
  /**
   * Lists the references to other secrets in a configuration, each with its key below `source`. If this
   * function is left out, there are no such references.
   */
  readonly referencesOf?: (
    config: ConfigOf<Shape>,
  ) => readonly (readonly [key: string, reference: SecretReference])[]
  /** True if records contain only the requested keys; default: false. */
  readonly givesOnlyAskedKeys?: boolean
  /** Makes the reader of a source. @param integrationId id of the integration, for messages */
  connect(config: ConfigOf<Shape>, integrationId: string, context: SourceContext): Source
  /**
   * Returns a finding that holds every plan, if the staged records cannot be trusted; otherwise null. If this
   * function is left out, the source has no such check.
   */
  sourceGuard?(transaction: Kysely<Tables>, scope: Scope<ConfigOf<Shape>>): Promise<GuardFinding | null>
  /**
   * Further counts of a resource, besides filled values, that `judge` needs. If the function `tally` is left
   * out, there are no further counts.
   */
  readonly tally?: TallyOf
  /**
   * Returns the offsets that the times in a record have. The offsets are compared with `source.timeZone`. If
   * this function is left out, no offsets are compared.
   */
  readonly statedOffsets?: (record: JsonObject) => readonly StatedOffset[]
  /** Compares the answers of the source with the rules for setting up its account, for `event-sync check`. */
  judge(
    config: ConfigOf<Shape>,
    contents: readonly Content[],
    answers: Answers,
    custom: CustomFields,
  ): readonly RuleResult[]
}

/** A source type, whatever its own keys are. */
export type AnySourceType = SourceType<SourceShape>

/**
 * Key under which `source` of a checked configuration has its source type, if the source is not part of this
 * package. The key is a symbol, so that it is neither printed nor included in hashes.
 */
export const OUTSIDE = Symbol('source type from outside')
