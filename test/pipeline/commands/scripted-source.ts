import { onTestFinished } from 'vitest'
import { serve } from '../../harness/loopback.ts'
import type { SourceAData } from '../../harness/sample-source/a.ts'

/** Describes what a Source A holds, with the resources that it leaves empty left out. */
export type Records = Partial<SourceAData>

/** An answer to one page in place of the records; null leaves it to the records, and waiting holds it back. */
export type Script = (page: {
  readonly resource: string
  readonly skip: number
}) => Promise<{ readonly status: number; readonly body: string } | null>

export interface ScriptedSource {
  readonly url: string
  records: Records
  script: Script
}

/** Most elements in one answer, so that a few records take several pages. */
const PAGE_CAP = 3

/** Takes what is to be done at an end. */
export type AtEnd = (work: () => void) => unknown

/** A Source A on loopback that answers as the test decides, page by page. */
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

/** A script that lets one page wait until it is released, and the promise of the moment at which it was asked for. */
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
