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

/** Describes what a source needs to be read. */
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

/** One kind of source: its configuration, how it is read and checked, and what its records become. */
export interface SourceType<Shape extends SourceShape> {
  /** As in the database, and as its tables begin: `a`. */
  readonly name: string
  /** For people: `Source A`. */
  readonly title: string
  readonly shape: Shape
  readonly transform: SourceTransform<ConfigOf<Shape>>
  /** Keys of the secrets that it needs. */
  readonly secrets: readonly string[]
  /** Lists the references of a configuration to other secrets, each with its key below `source`; left out: there are none. */
  readonly referencesOf?: (
    config: ConfigOf<Shape>,
  ) => readonly (readonly [key: string, reference: SecretReference])[]
  /** True if records come with no other keys than those that were asked for; left out: no. */
  readonly givesOnlyAskedKeys?: boolean
  /** @param integrationId for messages */
  connect(config: ConfigOf<Shape>, integrationId: string, context: SourceContext): Source
  /** Why what is staged must not be trusted, no matter what the plan; null where nothing speaks against it. Left out: nothing ever does. */
  sourceGuard?(transaction: Kysely<Tables>, scope: Scope<ConfigOf<Shape>>): Promise<GuardFinding | null>
  /** Further counts of a resource that `judge` needs, besides filled values; left out: none. */
  readonly tally?: TallyOf
  /** Offsets that the times of a record state; left out: none are compared with `source.timeZone`. */
  readonly statedOffsets?: (record: JsonObject) => readonly StatedOffset[]
  /** Compares what it answered with the rules by which its account must be set up: `event-sync check`. */
  judge(
    config: ConfigOf<Shape>,
    contents: readonly Content[],
    answers: Answers,
    custom: CustomFields,
  ): readonly RuleResult[]
}

/** A source with any keys. */
export type AnySourceType = SourceType<SourceShape>

/** Key of the type in `source` of a checked configuration, if it came from outside this package; a symbol is not printed or hashed. */
export const OUTSIDE = Symbol('source type from outside')
