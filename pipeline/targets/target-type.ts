import type { PlatformReader, PlatformTarget } from '../../loaders/platform/target.ts'
import type { HttpLimits } from '../http/http.ts'
import type { Retries } from '../http/retry.ts'
import type { Point } from '../runtime/events.ts'
import type { SecretEnvironment } from '../settings/secrets.ts'
import type { ConfigOf, TypedShape } from '../settings/values.ts'

/** Describes what a target works with. */
export interface TargetContext {
  /** For messages. */
  readonly integrationId: string
  readonly secrets: SecretEnvironment
  readonly limits: HttpLimits
  at(point: Point): void
  now(): number
  /** Retries of requests to an address, within one budget of waits. */
  retriesAt(url: string): Retries
}

/** One kind of target: its keys in event-sync.yaml, how it is written to, and how it is read. */
export interface TargetType<Shape extends TypedShape> {
  readonly shape: Shape
  /** The platform event that it writes to; both empty where that is the pack of the run. */
  eventOf(config: ConfigOf<Shape>): { readonly url: string; readonly eventId: string }
  /** True if it gets the first passwords of attendees. */
  readonly takesPasswords: boolean
  /** True if its operations are a file of the run's pack. */
  readonly writesToPack: boolean
  /**
   * Opens the target for the operations of a run; touches nothing until they are applied.
   *
   * @param folder the pack's
   * @throws ConfigError for a secret that is missing or unusable
   */
  open(config: ConfigOf<Shape>, context: TargetContext, folder: string): PlatformTarget
  /**
   * Reads what the platform has; null for a target that cannot be asked.
   *
   * @throws ConfigError for a secret that is missing or unusable
   */
  readonly read: ((config: ConfigOf<Shape>, context: TargetContext) => PlatformReader) | null
}
