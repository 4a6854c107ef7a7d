import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { Content, Tables } from '../../sql/tables.ts'
import type { Scope } from '../../transforms/content.ts'
import type { Trip } from '../../transforms/guards/trip.ts'
import type { SourceTransform } from '../../transforms/source-transform.ts'
import type { Finding } from '../check/findings.ts'
import type { Answers, TallyOf } from '../check/reads.ts'
import type { ConfigOf, TypedShape } from '../config/forms.ts'
import type { SecretEnvironment } from '../config/secrets.ts'
import type { Environment } from '../environment.ts'
import type { HttpLimits } from './http.ts'
import type { Retries } from './retry.ts'
import type { Source } from './source.ts'

/** What a source needs to be read. */
export interface SourceContext {
  readonly environment: Environment
  readonly secrets: SecretEnvironment
  readonly limits: HttpLimits
  readonly retries: Retries
}

/** Keys that `source` has in event-sync.yaml whatever its type; each source adds its own. */
export interface SourceShape extends TypedShape {
  readonly url: z.ZodType<string>
  readonly eventId: z.ZodType<string>
  readonly timeZone: z.ZodType<string | undefined>
}

/** One kind of source: its keys in event-sync.yaml, how it is read, checked and believed, and what its records become. */
export interface SourceType<Shape extends SourceShape> {
  readonly shape: Shape
  readonly transform: SourceTransform<ConfigOf<Shape>>
  /** Keys of the secrets without which it cannot be read. */
  readonly secrets: readonly string[]
  /** @param integrationId for messages */
  connect(config: ConfigOf<Shape>, integrationId: string, context: SourceContext): Source
  /** What speaks against believing what is staged, whatever the plan; null where nothing does. */
  distrust(transaction: Kysely<Tables>, scope: Scope<ConfigOf<Shape>>): Promise<Trip | null>
  /** What is to be counted of the records of a resource for these judgements, beside filled values. */
  readonly tally: TallyOf
  /** Judges what it gave against the rules by which its account must be set up: `event-sync check`. */
  findings(config: ConfigOf<Shape>, contents: readonly Content[], answers: Answers): readonly Finding[]
}
