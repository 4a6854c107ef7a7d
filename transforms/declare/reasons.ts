/** Reason for a removal by a rollback. */
export const ROLLED_BACK = 'rolled_back'

/** The words of messages and reports for the reason of a decision: why a record has no item. */
interface OfDecision {
  readonly is: string
  /** A sentence about what the organiser can do if a record has no item. */
  readonly todo: string
}

/**
 * The texts that follow "because" for the reason of a removal, which says why an item of the platform was
 * removed.
 */
interface OfRemoval {
  readonly was: string
  /** The text for several items. */
  readonly were: string
  /**
   * The text for an organiser, who knows neither this product nor the term "source". The text uses the word
   * "them" for the items.
   */
  readonly plain: string
}

type Words = OfDecision & OfRemoval

/** Reasons for which a source may leave a record out, in the order of the contract of `decisions.csv`. */
const OF_SOURCES = {
  cancelled: {
    is: 'cancelled at the source',
    was: 'the registration was cancelled',
    were: 'their registrations were cancelled',
    plain: 'their registration was cancelled',
    todo: 'Nothing, if that is right; otherwise undo the cancellation at the source.',
  },
  not_a_speaker: {
    is: 'does not speak',
    was: 'the person no longer counted as a speaker',
    were: 'they no longer counted as speakers',
    plain: 'your registration system no longer names them as speakers',
    todo: 'Nothing, if they do not speak; otherwise make them speakers at the source.',
  },
  not_published: {
    is: 'not published',
    was: 'it was no longer published',
    were: 'they were no longer published',
    plain: 'your registration system no longer publishes them',
    todo: 'Publish it at the source, if people should see it.',
  },
  one_to_one_meeting: {
    is: 'a 1:1 meeting',
    was: 'it had become a 1:1 meeting',
    were: 'they had become 1:1 meetings',
    plain: 'your registration system now has them as one-to-one meetings, which the app does not show',
    todo: 'Nothing, if it is one; otherwise give the session another type at the source.',
  },
  bad_time: {
    is: 'a time that cannot be read, or an end that is not after its start',
    was: 'its times could no longer be read',
    were: 'their times could no longer be read',
    plain: 'your registration system no longer gives them a start and an end that can be read',
    todo: 'Correct the times at the source.',
  },
} satisfies Record<string, Words>

/** Kind of the reasons that a source of one's own makes up, such as `source_reason:withdrawn`. */
const SOURCE_REASON = 'source_reason'

export type SourceReason = keyof typeof OF_SOURCES | `${typeof SOURCE_REASON}:${string}`

/** Returns true if a source may leave records out for this reason. */
export function isReasonOfSource(reason: string): reason is SourceReason {
  return Object.hasOwn(OF_SOURCES, reason) || OWN_REASON.test(reason)
}

const OWN_REASON = new RegExp(`^${SOURCE_REASON}:[a-z][a-z0-9_]{0,39}$`)

/** Reasons that occur only in decisions, not in removals. */
const ONLY_DECISIONS: Readonly<Record<string, OfDecision>> = {
  invalid_record: { is: 'could not be read', todo: 'Correct the record at the source.' },
  duplicate_id: {
    is: 'a later record has the same id',
    todo: 'Give each record its own id at the source.',
  },
  rejected: {
    is: 'rejected by the platform: *',
    todo: 'Correct the record at the source, or ask the operator of the platform; the next run tries again.',
  },
}

/** Reasons for which an item can be removed. */
const REMOVALS: Readonly<Record<string, OfRemoval & Partial<OfDecision>>> = {
  ...OF_SOURCES,
  [SOURCE_REASON]: {
    is: '"*" at the source',
    was: 'the source now has it as "*"',
    were: 'the source now has them as "*"',
    plain: 'your registration system now says "*" about them',
    todo: 'Nothing, if that is right; otherwise correct it at the source.',
  },
  missing_required: {
    is: 'no *, which the platform requires',
    was: 'its record lacked what is required',
    were: 'their records lacked what is required',
    plain: 'your registration system lacks something that the app needs to show them, such as a name',
    todo: 'Fill in * at the source.',
  },
  suppressed: {
    is: 'left out by hand, with event-sync suppress',
    was: 'somebody left it out by hand',
    were: 'somebody left them out by hand',
    plain: 'the person who sent you this page left them out by hand',
    todo: 'Nothing, if that is right; otherwise undo it with event-sync unsuppress.',
  },
  excluded_by_rule: {
    is: 'left out by the rule * of the configuration',
    was: 'a rule of the configuration excluded it',
    were: 'a rule of the configuration excluded them',
    plain: 'a rule that was set up for this event leaves them out',
    todo: 'Nothing, if that is right; otherwise change the rule * or the values at the source.',
  },
  removed_at_source: {
    was: 'the source no longer had its record',
    were: 'the source no longer had their records',
    plain: 'your registration system no longer lists them',
  },
  forgotten: {
    was: 'it was erased on request',
    were: 'they were erased on request',
    plain: 'they asked that their data be deleted',
  },
  [ROLLED_BACK]: {
    is: 'not on the platform after the run to which a rollback goes back',
    was: 'the platform did not have it after the run to which the rollback goes back',
    were: 'the platform did not have them after the run to which the rollback goes back',
    plain: 'they were not in the app at the earlier time to which the app is taken back',
    todo: 'Nothing, if the rollback is right; the next run that is not a rollback decides on it again.',
  },
}

const REASONS: Readonly<Record<string, Partial<Words>>> = { ...ONLY_DECISIONS, ...REMOVALS }

/** Names of all reasons for which an item can be removed, without a part after `:`. */
export const REMOVAL_REASONS: readonly string[] = Object.keys(REMOVALS)

/** Returns the text about why a record has no item; empty for an unknown reason. */
export function reasonInWords(reason: string): string {
  return wordsOf(reason).is ?? ''
}

/** Returns a sentence about what the organiser can do if a record has no item. */
export function todoOf(reason: string): string {
  return wordsOf(reason).todo ?? 'Look at the record at the source.'
}

/** Returns the text about why an item was removed. The text follows the word "because". */
export function removedBecause(reason: string): string {
  return wordsOf(reason).was ?? 'its record does not qualify'
}

/** Returns the text that says why several items were removed. The text follows the word "because". */
export function severalRemovedBecause(reason: string): string {
  return wordsOf(reason).were ?? 'their records do not qualify'
}

/**
 * Returns the text that says to an organiser why items were removed. The text follows the word "because", and
 * uses the word "them" for the items.
 */
export function removedInPlainWords(reason: string): string {
  return wordsOf(reason).plain ?? 'your registration system no longer has what makes them part of the app'
}

/**
 * Returns the words of a reason, with the name of the reason in the place of `*`.
 *
 * @param reason a reason with an optional name, for example `missing_required:lastName`
 */
function wordsOf(reason: string): Partial<Words> {
  const [kind = '', ...rest] = reason.split(':')
  const name = kind === SOURCE_REASON ? rest.join(' ').replaceAll('_', ' ') : rest.join(':')
  const words = Object.entries<string>({ ...REASONS[kind] })
  return Object.fromEntries(words.map(([use, text]) => [use, text.replace('*', () => name)]))
}
