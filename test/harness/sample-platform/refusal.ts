/** An answer that refuses the whole request: `#/$defs/refusal` of the contract. */
export interface Refusal {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: { readonly error: string; readonly fence?: number }
}

export function refusal(
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return { status, headers, body: { error } }
}
