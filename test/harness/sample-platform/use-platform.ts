import { afterEach } from 'vitest'
import { useFolder } from '../../support/folder.ts'
import { type SamplePlatform, type SamplePlatformOptions, startSamplePlatform } from './start.ts'

export interface Platforms {
  readonly folder: () => string
  /** Starts a platform whose storage is the test's folder. The platform stops at the end of the test. */
  start(options?: Partial<SamplePlatformOptions>): Promise<SamplePlatform>
}

/** Gives each test of a file a new folder as the storage of its platforms. */
export function usePlatforms(): Platforms {
  const folder = useFolder()
  const started: SamplePlatform[] = []
  afterEach(async () => {
    for (const platform of started.splice(0)) await platform.close()
  })
  return {
    folder,
    async start(options) {
      const platform = await startSamplePlatform({ storage: folder(), ...options })
      started.push(platform)
      return platform
    },
  }
}
