/** The words of messages and reports for a reason. */
interface Words {
  /** Words for a decision: the reason why a record has no item. */
  readonly is: string
  /** Words for a removal, to follow "because": the reason why an item of the platform was removed. */
  readonly was: string
  /** What the organiser can do about a record without an item; a sentence. */
  readonly todo: string
}

/** Reasons for which a source may leave a record out, in the order of the contract of `decisions.csv`. */
const OF_SOURCES = {
  cancelled: {
    is: 'cancelled at the source',
    was: 'the registration was cancelled',
    todo: 'Nothing, if that is right; otherwise undo the cancellation at the source.',
  },
  not_a_speaker: {
    is: 'does not speak',
    was: 'the person no longer counted as a speaker',
    todo: 'Nothing, if they do not speak; otherwise make them speakers at the source.',
  },
  not_published: {
    is: 'not published',
    was: 'it was no longer published',
    todo: 'Publish it at the source, if people should see it.',
  },
  one_to_one_meeting: {
    is: 'a 1:1 meeting',
    was: 'it had become a 1:1 meeting',
    todo: 'Nothing, if it is one; otherwise give the session another type at the source.',
  },
  bad_time: {
    is: 'a time that cannot be read, or an end that is not after its start',
    was: 'its times could no longer be read',
    todo: 'Correct the times at the source.',
  },
} satisfies Record<string, Words>

export type SourceReason = keyof typeof OF_SOURCES

/** All reasons. Some occur only in decisions, some only in removals. */
const REASONS: Readonly<Record<string, Partial<Words>>> = {
  ...OF_SOURCES,
  invalid_record: { is: 'could not be read', todo: 'Correct the record at the source.' },
  duplicate_id: {
    is: 'a later record has the same id',
    todo: 'Give each record its own id at the source.',
  },
  missing_required: {
    is: 'no *, which the platform requires',
    was: 'its record lacked what is required',
    todo: 'Fill in * at the source.',
  },
  suppressed: {
    is: 'left out by hand, with event-sync suppress',
    was: 'somebody left it out by hand',
    todo: 'Nothing, if that is right; otherwise undo it with event-sync unsuppress.',
  },
  excluded_by_rule: {
    is: 'left out by the rule * of the configuration',
    was: 'a rule of the configuration excluded it',
    todo: 'Nothing, if that is right; otherwise change the rule * or the values at the source.',
  },
  rejected: {
    is: 'rejected by the platform: *',
    todo: 'Correct the record at the source, or ask the operator of the platform; the next run tries again.',
  },
  removed_at_source: { was: 'the source no longer had its record' },
  forgotten: { was: 'it was erased on request' },
}

/** Returns the words that say why a record has no item; empty for an unknown reason. */
export function reasonInWords(reason: string): string {
  const { is = '', name } = wordsOf(reason)
  return is.replace('*', () => name)
}

/** Returns a sentence on what the organiser can do about a record without an item. */
export function todoOf(reason: string): string {
  const { todo = 'Look at the record at the source.', name } = wordsOf(reason)
  return todo.replace('*', () => name)
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
