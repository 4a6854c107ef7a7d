import { jsonAnswer, type SampleSource, startSampleServer } from '../harness/sample-source/server.ts'
import { idsAskedFor } from '../harness/source-answers.ts'

/** One request for a page of a resource. */
export interface PageRequest {
  /** Last segment of the path, without `.json`. */
  readonly resource: string
  /** `$skip` at Source A, `page` at Source B. */
  readonly at: number
  /** Number of requests for this resource so far, including this one. */
  readonly time: number
  /** The ids that a request to Source B asks for; null if it asks for all records. */
  readonly ids: ReadonlySet<string> | null
}

/** An answer that is not a page. */
export class Refusal {
  readonly status: number
  readonly body: string

  constructor(status: number, body = 'no') {
    this.status = status
    this.body = body
  }
}

/** Returns the answer to a request for a page: a JSON body or a refusal. */
export type Script = (request: PageRequest) => unknown

/**
 * Starts a source of either kind on loopback that answers pages by a script. It gives a token to every
 * client.
 */
export function startScripted(script: Script): Promise<SampleSource<null>> {
  const times = new Map<string, number>()
  return startSampleServer({
    data: null,
    answer({ url }) {
      if (url.pathname.endsWith('/token.json')) {
        const token = { access_token: 'token', type: 'bearer', expires_at: '2999-01-01 00:00:00' }
        return jsonAnswer(200, token)
      }
      const resource = (url.pathname.split('/').at(-1) ?? '').replace(/\.json$/, '')
      const time = (times.get(resource) ?? 0) + 1
      times.set(resource, time)
      const at = Number(url.searchParams.get('$skip') ?? url.searchParams.get('page'))
      const answer = script({ resource, at, time, ids: idsAskedFor(url) })
      return answer instanceof Refusal ? answer : jsonAnswer(200, answer)
    },
  })
}
