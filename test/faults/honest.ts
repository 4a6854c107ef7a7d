import { type Asked, placeOf, type Reply, textReply } from './reply.ts'

/** Most elements in one answer, so that a few records take several pages. */
export const PAGE_CAP = 3

/** The answer of a source without a fault. Source: spec-gaps, "on the wire". */
export function honestReply(asked: Asked): Reply {
  return textReply(asked.type === 'a' ? arrayOf(sliceOfA(asked)) : envelopeOf(asked))
}

/** Records that Source A gives from where it is asked to begin, or from `skip`. */
export function sliceOfA({ url, list, cap }: Asked, skip = Number(url.searchParams.get('$skip'))) {
  const top = Number(url.searchParams.get('$top') ?? Number.POSITIVE_INFINITY)
  return list.slice(skip, skip + Math.min(top, cap))
}

export function arrayOf(elements: readonly string[]): string {
  return `[${elements.join(',')}]`
}

export interface EnvelopeOptions {
  /** The page that is given, whichever was asked for. */
  readonly page?: number
  readonly currentPage?: number
  readonly totalCount?: unknown
  readonly items?: string
}

/** Past the last page Source B gives the last one again, and says so. */
export function envelopeOf(asked: Asked, options: EnvelopeOptions = {}): string {
  const { list, cap } = asked
  const pageCount = Math.ceil(list.length / cap)
  const given = Math.max(1, Math.min(options.page ?? placeOf(asked), pageCount))
  const items = options.items ?? arrayOf(list.slice((given - 1) * cap, given * cap))
  const meta = {
    totalCount: options.totalCount === undefined ? list.length : options.totalCount,
    pageCount,
    currentPage: options.currentPage ?? given,
    perPage: cap,
  }
  return `{"items":${items},"_links":{},"_meta":${JSON.stringify(meta)}}`
}
