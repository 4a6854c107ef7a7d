export interface Finding {
  /** File of the pack, or `chain`. */
  readonly file: string
  readonly message: string
}
