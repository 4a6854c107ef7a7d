import type { OutputMode } from '../../loaders/files/file-writer.ts'
import type { TargetLimits } from '../../loaders/platform/limits.ts'
import type { PlatformReader, PlatformTarget } from '../../loaders/platform/target.ts'
import type { Content } from '../../sql/tables.ts'
import type { MissingFields } from '../../transforms/declare/contents.ts'
import type { RateBudget } from '../http/budget.ts'
import type { HttpLimits } from '../http/http.ts'
import type { Retries } from '../http/retry.ts'
import type { Point } from '../runtime/events.ts'
import type { SecretEnvironment } from '../settings/secrets.ts'
import type { ConfigOf, TypedShape } from '../settings/values.ts'

/** What a target (a connection to a platform) needs from the product. */
export interface TargetContext {
  /** Id of the integration, for messages. */
  readonly integrationId: string
  readonly secrets: SecretEnvironment
  /** Who can read the files of the audit pack. */
  readonly outputMode: OutputMode
  readonly limits: HttpLimits
  at(point: Point): void
  now(): number
  /** Makes the retries for requests to an address. All waits of these retries share one time limit. */
  retriesAt(url: string): Retries
  /**
   * Returns the request budget of an account at the platform, which all integrations with this account share.
   *
   * @param cause reason of the waits, for messages
   */
  budgetOf(url: string, account: string, requestsPerMinute: number, cause: string): RateBudget
}

/** One kind of target (platform): its keys in event-sync.yaml, and functions that write to it and read it. */
export interface TargetType<Shape extends TypedShape> {
  readonly shape: Shape
  /** Contents that the target can write. */
  readonly contents: readonly Content[]
  /** Contents whose items the target can remove from the platform. */
  readonly removes: readonly Content[]
  /** Fields for which the platform has no place; left out: it has a place for every field. */
  readonly missingFields?: MissingFields
  /**
   * True if the platform refuses the batches of an older run (the fence). Without a fence, a second writer to
   * the platform event is noticed only by the number of items.
   */
  readonly hasFence: boolean
  /**
   * Returns the platform event to which the target writes. Address and event id are empty if the target
   * writes to the audit pack.
   */
  eventOf(config: ConfigOf<Shape>): { readonly url: string; readonly eventId: string }
  /** True if the first passwords of attendees are sent to the target. */
  readonly takesPasswords: boolean
  /** True if the operations are written to a file in the audit pack. */
  readonly writesToPack: boolean
  /**
   * Opens the target, to which a run sends its operations. Opening changes nothing on the platform.
   *
   * @param folder folder of the audit pack
   * @throws ConfigError if a secret is missing or unusable
   */
  open(config: ConfigOf<Shape>, context: TargetContext, folder: string): PlatformTarget
  /**
   * Opens the platform for reading its items; null if the platform cannot list its items.
   *
   * @throws ConfigError if a secret is missing or unusable
   */
  readonly read: ((config: ConfigOf<Shape>, context: TargetContext) => PlatformReader) | null
}

/** A target type, whatever its own keys are. */
export type AnyTargetType = TargetType<TypedShape>

/** A target type that is not part of this package. */
export interface OutsideTarget extends AnyTargetType {
  /** Name of the target in the database and in packs. */
  readonly name: string
  /** Name of the target in messages. */
  readonly title: string
  readonly limits: TargetLimits
}

/**
 * Key under which `platform` of a checked configuration has its target type, if the target is not part of
 * this package. The key is a symbol, so that it is neither printed nor included in hashes.
 */
export const OUTSIDE_TARGET = Symbol('target type from outside')
