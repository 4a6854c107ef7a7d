/** Why an item was removed, in words that follow "since". */
export function removedSince(reason: string): string {
  const [kind = ''] = reason.split(':')
  return REMOVED[kind] ?? 'its record does not qualify'
}

const REMOVED: Readonly<Record<string, string>> = {
  removed_at_source: 'a complete read no longer had its record',
  forgotten: 'it was erased on request',
  cancelled: 'the registration was cancelled',
  not_a_speaker: 'the person no longer counted as a speaker',
  not_published: 'it was no longer published',
  one_to_one_meeting: 'it had become a 1:1 meeting',
  missing_required: 'its record lacked what is required',
  suppressed: 'somebody left it out by hand',
  excluded_by_rule: 'a rule of the configuration excluded it',
  bad_time: 'its times could no longer be read',
}
