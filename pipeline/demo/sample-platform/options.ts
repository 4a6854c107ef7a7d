/** How a sample platform is set up. */
export interface SamplePlatformOptions {
  /** Folder that it keeps everything in; made where it is not there. */
  readonly storage: string
  /** A free one unless told. */
  readonly port?: number
  readonly token?: string
  readonly eventId?: string
  /** Whether there are control endpoints; there are unless told. */
  readonly control?: boolean
  /** Most items on a page. */
  readonly pageSize?: number
  /** Longest body of a batch. */
  readonly maxBodyBytes?: number
}

/** What a sample platform expects, unless the options say otherwise. */
export const samplePlatformDefaults = {
  port: 0,
  token: 'sample-platform-token',
  eventId: 'sample-event',
  control: true,
  pageSize: 100,
  maxBodyBytes: 5_242_880,
} as const
