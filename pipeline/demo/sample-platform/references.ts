import type { Content } from './contract.ts'
import type { DanglingReference } from './control-answers.ts'
import { allItems, type Store } from './store.ts'

/** What a field's unique IDs are those of. */
const targets: Readonly<Record<Content, Readonly<Record<string, Content>>>> = {
  agenda: { speakerIds: 'speakers' },
  speakers: { sessionIds: 'agenda', attendeeId: 'attendees' },
  attendees: { personalAgenda: 'agenda' },
}

/** References to items that are not there. None should be left when a run has ended. */
export function danglingReferences(store: Store): readonly DanglingReference[] {
  const found: DanglingReference[] = []
  for (const [content, uniqueId, { fields }] of allItems(store)) {
    for (const [field, target] of Object.entries(targets[content])) {
      for (const missing of [fields[field] ?? []].flat()) {
        if (store.item(target, missing) === undefined) found.push({ content, uniqueId, field, missing })
      }
    }
  }
  return found
}
