import type { Pin } from '../../sql/tables.ts'

/** Says when a pin began, when it ends and why it exists, and which command ends it. */
export function describePin(integrationId: string, pin: Pin): string {
  return `${describePinned(pin)}; \`event-sync resume ${integrationId}\` ends it`
}

/**
 * Says when a pin began, when it ends and why it exists, for example `pinned since 2031-05-01T06:00:00Z`.
 *
 * @param shown converts an instant to text
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
