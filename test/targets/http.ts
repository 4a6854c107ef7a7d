import { itemsByName } from '../harness/platform-judge.ts'
import { startSamplePlatform } from '../harness/sample-platform/start.ts'
import type { TargetExample } from './example.ts'

/**
 * The example for the target `http`: a platform that follows the contract in `loaders/platform/contract`,
 * with few items per page.
 */
export const exampleHttp: TargetExample = {
  async start(folder) {
    const platform = await startSamplePlatform({ storage: folder, pageSize: 2 })
    const items = async () => itemsByName((await platform.control('state')).items)
    return { platform: platform.config(2), env: platform.env, items, close: platform.close }
  },
}
