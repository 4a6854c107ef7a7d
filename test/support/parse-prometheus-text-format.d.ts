declare module 'parse-prometheus-text-format' {
  /** A metric with its samples, as the parser returns it. All numbers are texts. */
  export interface Family {
    readonly name: string
    readonly help: string
    readonly type: string
    readonly metrics: readonly {
      readonly labels?: Readonly<Record<string, string>>
      readonly value?: string
    }[]
  }

  export default function parse(text: string): readonly Family[]
}
