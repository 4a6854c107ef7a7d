import { onTestFinished } from 'vitest'
import { serve } from '../../harness/loopback.ts'
import type { SourceAData } from '../../harness/sample-source/a.ts'

/** The records of a Source A, by resource. A resource without records can be omitted. */
export type Records = Partial<SourceAData>

/**
 * A function that answers the request for one page. If the result is null, the server sends the records of
 * the source. A promise delays the answer: the server answers the request when the promise resolves.
 */
export type Script = (page: {
  readonly resource: string
  readonly skip: number
}) => Promise<{ readonly status: number; readonly body: string } | null>

export interface ScriptedSource {
  readonly url: string
  records: Records
  script: Script
}

/**
 * The largest number of elements in one answer. The largest page is small, so that a few records need several
 * pages.
 */
const PAGE_CAP = 3

/** Registers work that runs at the end of a test or of a block of tests. */
export type AtEnd = (work: () => void) => unknown

/** Starts a Source A on loopback. The test decides how each page is answered. */
export async function startScriptedSource(
  records: Records,
  atEnd: AtEnd = onTestFinished,
): Promise<ScriptedSource> {
  const source = { url: '', records, script: async () => null } as {
    -readonly [Key in keyof ScriptedSource]: ScriptedSource[Key]
  }
  const server = await serve(async (request, response) => {
    const url = new URL(`http://127.0.0.1${request.url}`)
    const resource = url.pathname.split('/').at(-1) ?? ''
    const skip = Number(url.searchParams.get('$skip'))
    const { status, body } = (await source.script({ resource, skip })) ?? {
      status: 200,
      body: JSON.stringify((source.records[resource as keyof Records] ?? []).slice(skip, skip + PAGE_CAP)),
    }
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
  })
  atEnd(server.close)
  source.url = server.url
  return source
}

/**
 * Returns a script that holds back the answer to one page until `release` is called. `asked` resolves when
 * this page is requested.
 */
export function holdBack(
  resource: string,
  skip: number,
): { readonly script: Script; readonly asked: Promise<void>; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = Promise.withResolvers<null>()
  const script: Script = async (page) => {
    if (page.resource !== resource || page.skip !== skip) return null
    resolve()
    return held.promise
  }
  return { script, asked: promise, release: () => held.resolve(null) }
}
