import { jsonAnswer, type SampleSource, startSampleServer } from '../harness/sample-source/server.ts'
import { idsAskedFor } from '../harness/source-answers.ts'

/** One request for a page of a resource. */
export interface PageRequest {
  /** Name of the resource: the last segment of the path without `.json`. */
  readonly resource: string
  /** The position that the request wants: the parameter `$skip` of Source A, or `page` of Source B. */
  readonly at: number
  /** Number of requests for this resource so far, including this one. */
  readonly time: number
  /** The ids of the records that a request to Source B wants; null if the request wants all records. */
  readonly ids: ReadonlySet<string> | null
}

/** An answer with a status that refuses the request, instead of a page. */
export class Refusal {
  readonly status: number
  readonly body: string

  constructor(status: number, body = 'no') {
    this.status = status
    this.body = body
  }
}

/** A function that returns the answer to a request for a page: a JSON body, or a `Refusal`. */
export type Script = (request: PageRequest) => unknown

/**
 * Starts a source on loopback whose answers a script makes. The server can answer as Source A and as Source
 * B, and gives a token to every client.
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
