/** One rule, broken: a text in a file of the product that is replaced by another. */
export interface Mutation {
  /** The rule, as spec or spec-gaps name it, and what becomes of it. */
  readonly breaks: string
  /** Path from the top. */
  readonly file: string
  /** Occurs once in the file. */
  readonly from: string
  readonly to: string
}

/** Mutations of one file. */
export function mutationsOf(
  file: string,
  list: Readonly<Record<string, readonly [from: string, to: string]>>,
): readonly Mutation[] {
  return Object.entries(list).map(([breaks, [from, to]]) => ({ breaks, file, from, to }))
}
