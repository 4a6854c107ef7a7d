import parse from 'parse-prometheus-text-format'

/**
 * Returns the samples of a series in the text of `/metrics`. A histogram has the series `…_bucket`, `…_sum` and
 * `…_count`. The parser would join the samples of all label values of a histogram, so their types are removed.
 */
export function samplesOf(text: string, series: string) {
  const untyped = text.replaceAll(/^# TYPE \S+ histogram\n/gm, '')
  return parse(untyped).find(({ name }) => name === series)?.metrics ?? []
}

/** Returns the value of the sample with exactly these labels; undefined if there is no such sample. */
export function valueIn(text: string, series: string, labels: Readonly<Record<string, string>> = {}) {
  const wanted = JSON.stringify(Object.entries(labels).toSorted())
  const sample = samplesOf(text, series).find(
    (one) => JSON.stringify(Object.entries(one.labels ?? {}).toSorted()) === wanted,
  )
  return sample?.value === undefined ? undefined : Number(sample.value)
}
