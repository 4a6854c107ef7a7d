/** How many requests a source takes in a time, as Source B counts: in credits, of which a list takes ten. */
export interface RequestWindow {
  readonly requests: number
  readonly windowMs: number
}

const LIST_COST = 10

/** A window opens with the first request and ends when its time is over, whatever came in between. */
export function openWindow(
  { requests, windowMs }: RequestWindow,
  now: () => number,
): () => { readonly granted: boolean; readonly headers: Readonly<Record<string, string>> } {
  let endsAtMs = Number.NEGATIVE_INFINITY
  let left = 0
  return () => {
    if (now() >= endsAtMs) {
      endsAtMs = now() + windowMs
      left = requests
    }
    const granted = left > 0
    if (granted) left -= 1
    const headers = {
      'X-Rate-Limit-Limit': String(requests * LIST_COST),
      'X-Rate-Limit-Remaining': String(left * LIST_COST),
      'X-Rate-Limit-Reset': String(Math.max(1, Math.ceil((endsAtMs - now()) / 1000))),
    }
    return { granted, headers }
  }
}
