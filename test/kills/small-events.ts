import type { SampleEvent } from '../../pipeline/demo/sample-event.ts'

/** So many records that do not change, and people who come, or have another name, in the second sync. */
const KEPT_SESSIONS = 6
const KEPT_SPEAKERS = 12
const KEPT_OTHERS = 10
const NEW_PEOPLE = 7
const RENAMED_PEOPLE = 4

/**
 * Cuts from an event before and after its change what is enough for a dozen batches of a few operations: creates,
 * updates and removals of each content that the source can take away.
 */
export function cutEvents(
  first: SampleEvent,
  second: SampleEvent,
  speakers: number,
): { readonly first: SampleEvent; readonly second: SampleEvent } {
  // A new session is one beyond the first list's end, and so another there.
  const isSessionThere = (index: number) =>
    index < KEPT_SESSIONS ||
    first.a.Sessions[index] !== second.a.Sessions[index] ||
    first.b.sessions[index] !== second.b.sessions[index]
  const isThere = (index: number, others: number) =>
    index < KEPT_SPEAKERS ||
    (index >= speakers && index < speakers + others) ||
    first.b.registrants[index] !== second.b.registrants[index]
  const cut = (event: SampleEvent, others: number, isRenamed: (index: number) => boolean): SampleEvent => {
    const chosen = <Record>(list: readonly Record[]) => list.filter((_, index) => isSessionThere(index))
    const people = <Record extends object>(list: readonly Record[], lastName: string) =>
      list.flatMap((one, index) => {
        if (!isThere(index, others)) return []
        return isRenamed(index) ? [{ ...one, [lastName]: `Renamed-${index}` }] : [one]
      })
    return {
      ...event,
      a: { ...event.a, Sessions: chosen(event.a.Sessions), Users: people(event.a.Users, 'LastName') },
      b: {
        ...event.b,
        sessions: chosen(event.b.sessions),
        registrants: people(event.b.registrants, 'last_name'),
      },
    }
  }
  return {
    first: cut(first, KEPT_OTHERS, () => false),
    second: cut(
      second,
      KEPT_OTHERS + NEW_PEOPLE,
      (index) => index >= speakers && index < speakers + RENAMED_PEOPLE,
    ),
  }
}
