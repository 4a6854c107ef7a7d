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

/** What the package provides for reading a source. */
export interface SourceContext {
  readonly environment: Environment
  readonly secrets: SecretEnvironment
  readonly limits: HttpLimits
  readonly retries: Retries
}

/** Keys of `source` in event-sync.yaml that every type has; each source adds its own. */
export interface SourceShape extends TypedShape {
  readonly url: z.ZodType<string>
  readonly eventId: z.ZodType<string>
  readonly timeZone: z.ZodType<string | undefined>
}

/** One kind of source: its configuration, how it is read and checked, and how its records become items. */
export interface SourceType<Shape extends SourceShape> {
  /** Its name in the database, with which its tables begin: `a`. */
  readonly name: string
  /** Its name in messages: `Source A`. */
  readonly title: string
  readonly shape: Shape
  readonly transform: SourceTransform<ConfigOf<Shape>>
  /** Keys of the secrets that it needs. */
  readonly secrets: readonly string[]
  /**
   * Lists the references of a configuration to other secrets, each with its key below `source`. Left out:
   * there are none.
   */
  readonly referencesOf?: (
    config: ConfigOf<Shape>,
  ) => readonly (readonly [key: string, reference: SecretReference])[]
  /** True if records have only the keys that were asked for; left out: false. */
  readonly givesOnlyAskedKeys?: boolean
  /** @param integrationId for messages */
  connect(config: ConfigOf<Shape>, integrationId: string, context: SourceContext): Source
  /**
   * Returns a finding that holds the plan, whatever its changes, if the staged records must not be trusted;
   * else null. Left out: the source has no such guard.
   */
  sourceGuard?(transaction: Kysely<Tables>, scope: Scope<ConfigOf<Shape>>): Promise<GuardFinding | null>
  /** Further counts of a resource that `judge` needs besides filled values; left out: none. */
  readonly tally?: TallyOf
  /**
   * Returns the offsets that the times of a record state, to compare with `source.timeZone`. Left out: none.
   */
  readonly statedOffsets?: (record: JsonObject) => readonly StatedOffset[]
  /** Checks its answers against the set-up rules of its account, for `event-sync check`. */
  judge(
    config: ConfigOf<Shape>,
    contents: readonly Content[],
    answers: Answers,
    custom: CustomFields,
  ): readonly RuleResult[]
}

/** A source with any keys. */
export type AnySourceType = SourceType<SourceShape>

/**
 * Key of the source type in `source` of a validated configuration, for a source from outside this package. It
 * is a symbol, so that it is neither printed nor hashed.
 */
export const OUTSIDE = Symbol('source type from outside')
