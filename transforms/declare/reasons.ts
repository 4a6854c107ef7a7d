/** The words of messages and reports for a reason. */
interface Words {
  /** Words for a decision: the reason why a record has no item. */
  readonly is: string
  /** Words for a removal, to follow "because": the reason why an item of the platform was removed. */
  readonly was: string
}

/** Reasons for which a source may leave a record out, in the order of the contract of `decisions.csv`. */
const OF_SOURCES = {
  cancelled: { is: 'cancelled at the source', was: 'the registration was cancelled' },
  not_a_speaker: { is: 'does not speak', was: 'the person no longer counted as a speaker' },
  not_published: { is: 'not published', was: 'it was no longer published' },
  one_to_one_meeting: { is: 'a 1:1 meeting', was: 'it had become a 1:1 meeting' },
  bad_time: {
    is: 'a time that cannot be read, or an end that is not after its start',
    was: 'its times could no longer be read',
  },
} satisfies Record<string, Words>

export type SourceReason = keyof typeof OF_SOURCES

/** All reasons. Some occur only in decisions, some only in removals. */
const REASONS: Readonly<Record<string, Partial<Words>>> = {
  ...OF_SOURCES,
  invalid_record: { is: 'could not be read' },
  duplicate_id: { is: 'a later record has the same id' },
  missing_required: {
    is: 'no *, which the platform requires',
    was: 'its record lacked what is required',
  },
  suppressed: {
    is: 'left out by hand, with event-sync suppress',
    was: 'somebody left it out by hand',
  },
  excluded_by_rule: {
    is: 'left out by the rule * of the configuration',
    was: 'a rule of the configuration excluded it',
  },
  removed_at_source: { was: 'the source no longer had its record' },
  forgotten: { was: 'it was erased on request' },
}

/** Returns the words that say why a record has no item; empty for an unknown reason. */
export function reasonInWords(reason: string): string {
  const { is = '', name } = wordsOf(reason)
  return is.replace('*', () => name)
}

/** Returns the words, to follow "because", that say why an item was removed. */
export function removedBecause(reason: string): string {
  return wordsOf(reason).was ?? 'its record does not qualify'
}

/** @param reason for example `missing_required:lastName` */
function wordsOf(reason: string): Partial<Words> & { readonly name: string } {
  const [kind = '', ...name] = reason.split(':')
  return { ...REASONS[kind], name: name.join(':') }
}
