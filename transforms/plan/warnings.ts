/** A warning from the detail of a decision, with its platform field and its meaning in words. */
export type DetailWarning = ReturnType<typeof warningsOf>[number]

const WORDS: Readonly<Record<string, (count: string) => string>> = {
  ambiguous_time: () =>
    'the local time occurs twice that day, at a clock change; the earlier of the two is taken, of an end the later if the earlier is before the start',
  dangling_reference: () => 'what the record refers to is not at the source, so the field is left out',
  left_out: () => 'a value, or an element of a list, cannot be used and is left out',
  not_synced: (count) =>
    count === '1'
      ? 'one reference is left out, since its item is not synced'
      : `${count} references are left out, since their items are not synced`,
  not_text: () => 'the value is not text (but a list, an object, true or false) and counts as absent',
  skipped_time: () =>
    'the local time does not occur that day, as a clock change skips it; it is read as if the clocks had not changed yet',
  unknown_zone: () =>
    'the record names a time zone that is not known, so the time is read in source.timeZone',
  unsupported_character: () => 'characters that cannot be stored were dropped or replaced',
}

export function warningsOf(detail: string) {
  if (detail === '') return []
  return detail.split('; ').map((warning) => {
    const [kind = '', rest = ''] = warning.split(':')
    const [field = '', count = ''] = rest.split('=')
    return { warning, kind, field, text: WORDS[kind]?.(count) ?? '' }
  })
}
