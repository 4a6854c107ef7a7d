import type { PlatformReader, PlatformTarget } from '../../loaders/platform/target.ts'
import type { HttpLimits } from '../http/http.ts'
import type { Retries } from '../http/retry.ts'
import type { Point } from '../runtime/events.ts'
import type { SecretEnvironment } from '../settings/secrets.ts'
import type { ConfigOf, TypedShape } from '../settings/values.ts'

/** Everything that a target uses. */
export interface TargetContext {
  /** Id of the integration, for messages. */
  readonly integrationId: string
  readonly secrets: SecretEnvironment
  readonly limits: HttpLimits
  at(point: Point): void
  now(): number
  /** Makes the retries for requests to an address, with one time budget for all their waits. */
  retriesAt(url: string): Retries
}

/** One kind of target: its keys in event-sync.yaml, and functions to write to it and to read it. */
export interface TargetType<Shape extends TypedShape> {
  readonly shape: Shape
  /**
   * Returns the platform event to which the target writes. Both values are empty if it writes to the pack of
   * the run.
   */
  eventOf(config: ConfigOf<Shape>): { readonly url: string; readonly eventId: string }
  /** True if the target receives the first passwords of attendees. */
  readonly takesPasswords: boolean
  /** True if the operations are a file of the run's pack. */
  readonly writesToPack: boolean
  /**
   * Opens the target for the operations of a run. It changes nothing until operations are applied.
   *
   * @param folder folder of the pack
   * @throws ConfigError for a secret that is missing or unusable
   */
  open(config: ConfigOf<Shape>, context: TargetContext, folder: string): PlatformTarget
  /**
   * Opens the platform for reading its items; null if the platform cannot report its items.
   *
   * @throws ConfigError for a secret that is missing or unusable
   */
  readonly read: ((config: ConfigOf<Shape>, context: TargetContext) => PlatformReader) | null
}
