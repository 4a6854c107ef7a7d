/** Something in a pack that is not as it must be. */
export interface Finding {
  /** File of the pack, or `chain`. */
  readonly file: string
  /** What is wrong, without values of people. */
  readonly message: string
}
