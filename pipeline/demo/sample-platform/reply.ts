/** What the sender gets: an answer, or a connection that breaks, stays silent, or dies with the platform. */
export type Reply =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: unknown
    }
  | { readonly cut: 'destroy' | 'silence' | 'crash' }

/** `#/$defs/refusal` of the contract. */
export function refusal(
  status: number,
  error: string,
  more: { readonly fence?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Reply {
  const { fence, headers = {} } = more
  return { status, headers, body: fence === undefined ? { error } : { error, fence } }
}

/** What a fault answers. */
export function failed(how: number | 'destroy' | 'silence' | 'crash'): Reply {
  return typeof how === 'number' ? refusal(how, 'unavailable') : { cut: how }
}
