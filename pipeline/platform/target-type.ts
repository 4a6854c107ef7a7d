import type { PlatformReader, PlatformTarget } from '../../loaders/platform/target.ts'
import type { ConfigOf, TypedShape } from '../config/forms.ts'
import type { SecretEnvironment } from '../config/secrets.ts'
import type { HttpLimits } from '../extract/http.ts'
import type { Retries } from '../extract/retry.ts'
import type { Progress } from '../observe/told.ts'

/** What a target works with. */
export interface TargetContext {
  /** For messages and progress. */
  readonly integrationId: string
  readonly secrets: SecretEnvironment
  readonly limits: HttpLimits
  readonly progress: Progress
  now(): number
  /** Tries requests to that address again, within one budget of waits. */
  retriesAt(url: string): Retries
}

/** The run whose operations are taken to a platform. */
export interface TargetRun {
  /** Number of the run, higher than that of any run before. */
  readonly fence: number
  /** Folder of its pack. */
  readonly folder: string
}

/** One kind of target: its keys in event-sync.yaml, and the ways to what they name and back. */
export interface TargetType<Shape extends TypedShape> {
  readonly shape: Shape
  /** The platform event that it writes to; both empty where that is the pack of the run. */
  eventOf(config: ConfigOf<Shape>): { readonly url: string; readonly eventId: string }
  /** Whether it is told the first passwords of attendees. */
  readonly takesPasswords: boolean
  /** Whether its operations are a file of the run's pack. */
  readonly writesToPack: boolean
  /**
   * Opens the way by which the operations of a run reach the platform; touches nothing until they are applied.
   *
   * @throws ConfigError for a secret that is missing or unusable
   */
  open(config: ConfigOf<Shape>, context: TargetContext, run: TargetRun): PlatformTarget
  /**
   * Opens the way by which it is asked what it has; null for a target that cannot be asked.
   *
   * @throws ConfigError for a secret that is missing or unusable
   */
  readonly read: ((config: ConfigOf<Shape>, context: TargetContext) => PlatformReader) | null
}
