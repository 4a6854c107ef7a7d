import type { Pin } from '../../sql/tables.ts'

/** Says since when an integration is pinned, until when and why, and how to end it. */
export function describePin(integrationId: string, pin: Pin): string {
  return `${describePinned(pin)}; \`event-sync resume ${integrationId}\` ends it`
}

/**
 * Says since when an integration is pinned, until when and why: `pinned since 2031-05-01T06:00:00Z`.
 *
 * @param shown writes an instant
 */
export function describePinned(
  { since, until, reason }: Pin,
  shown: (instant: string) => string = toTheSecond,
): string {
  const end = until === null ? '' : `, until ${shown(until)}`
  return `pinned since ${shown(since)}${end}${reason === null ? '' : `: ${reason}`}`
}

function toTheSecond(instant: string): string {
  return `${instant.slice(0, 19)}Z`
}
