import { registrantsOf } from '../../pipeline/demo/sample-event.ts'
import { startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import {
  type Lists,
  leastRequestsOfA,
  leastRequestsOfB,
  leastSeconds,
  leastSecondsInTurn,
  sum,
} from './least.ts'
import { loggedRun } from './logged-run.ts'
import type { Measurement, Site } from './measurement.ts'
import { makePlace } from './place.ts'
import { type Registrants, startRegistrants } from './registrants.ts'
import type { RequestWindow } from './request-window.ts'
import { withNewDatabase } from './server.ts'

const UNLIMITED: RequestWindow = { requests: Number.POSITIVE_INFINITY, windowMs: 0 }

/** How slow and how strict a source is. */
export interface Limits {
  readonly latencyMs: number
  readonly window?: RequestWindow
}

type Limited = Pick<Site, 'folder' | 'postgresUrl'>

/** Source B with latency and a window of requests; a request beyond it is answered with 429. */
export async function measureLimitedB(
  site: Limited,
  count: number,
  { latencyMs, window }: Limits,
): Promise<Measurement> {
  const source: Registrants = await startRegistrants(count, 'pages', {
    latencyMs,
    ...(window === undefined ? {} : { window }),
  })
  try {
    const seconds = await extractSeconds(site, 'b', source.url)
    const { made, refused } = await source.requests()
    const requests = [count, 200, 2].map(leastRequestsOfB)
    const limit = window === undefined ? '' : `, ${window.requests} requests in ${window.windowMs / 1000} s`
    return measurementOf(
      `source B, ${latencyMs} ms${limit}`,
      count,
      { made, refused, seconds },
      {
        requests,
        latencyMs,
        window: window ?? UNLIMITED,
        before: 1,
      },
    )
  } finally {
    source.stop()
  }
}

/** Source A with latency; it knows no windows. */
export async function measureSlowA(site: Limited, count: number, latencyMs: number): Promise<Measurement> {
  const users = Array.from(registrantsOf(count), (registrant) => {
    const { id, first_name, last_name, email } = registrant as Readonly<Record<string, unknown>>
    return { Id: id, FirstName: first_name, LastName: last_name, EmailAddress: email, SpeakingAt: [] }
  })
  const data = { Sessions: [], TimeSlots: [], Rooms: [], Tracks: [], SessionTypes: [], Users: users }
  const source = await startSampleSourceA(data, { latencyMs })
  try {
    const seconds = await extractSeconds(site, 'a', source.url)
    const requests = Object.values(data).map(({ length }) => leastRequestsOfA(length))
    const seen = { made: source.requests.length, refused: 0, seconds }
    return measurementOf(`source A, ${latencyMs} ms`, count, seen, {
      requests,
      latencyMs,
      window: UNLIMITED,
      before: 0,
    })
  } finally {
    await source.close()
  }
}

async function extractSeconds(site: Limited, sourceType: 'a' | 'b', sourceUrl: string): Promise<number> {
  return withNewDatabase(site.postgresUrl, async (databaseUrl) => {
    const place = makePlace({ folder: site.folder, databaseUrl, sourceUrl, sourceType })
    return (await loggedRun(place, 'plan')).stepSeconds('extract')
  })
}

function measurementOf(
  what: string,
  registrants: number,
  { made, refused, seconds }: { readonly made: number; readonly refused: number; readonly seconds: number },
  lists: Lists,
): Measurement {
  return {
    table: 'requests',
    what,
    registrants,
    values: {
      requests: made,
      leastRequests: sum(lists.requests),
      refused,
      extractSeconds: seconds,
      leastSeconds: leastSeconds(lists),
      leastSecondsInTurn: leastSecondsInTurn(lists),
    },
  }
}
