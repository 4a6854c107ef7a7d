import { startSamplePlatform } from '../../pipeline/demo/sample-platform/start.ts'
import type { Fields } from '../../sql/tables.ts'
import type { TargetExample } from './example.ts'

/** A platform that keeps the contract of `loaders/platform/contract`, a few items on a page. */
export const exampleHttp: TargetExample = {
  async start(folder) {
    const { url, eventId, token, control, close } = await startSamplePlatform({
      storage: folder,
      pageSize: 2,
    })
    return {
      platform: { type: 'http', url, eventId, token: 'env:TOKEN', batchSize: 2 },
      env: { TOKEN: token },
      async items() {
        const { items } = await control('state')
        return Object.fromEntries(
          Object.entries(items).flatMap(([content, list]) =>
            list.map(({ uniqueId, fields }): [string, Fields] => [`${content} ${uniqueId}`, fields]),
          ),
        )
      },
      close,
    }
  },
}
