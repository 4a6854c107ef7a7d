import type { CustomOptions, RuleOptions } from './custom-options.ts'
import type { Suppressed } from './suppressions.ts'

export type Content = 'agenda' | 'speakers' | 'attendees'

/** Options of Source A in the configuration. If a key is absent, the option has its default. */
export interface OptionsA {
  readonly timeZone?: string
  readonly speakers?: 'listed' | 'role' | 'both'
  readonly sessionStatuses?: readonly string[]
  readonly includeHidden?: boolean
  readonly includePending?: boolean
  readonly oneToOneTypes?: readonly string[]
  readonly locationSeparator?: string
  readonly fields?: { readonly facebook?: string; readonly linkedin?: string }
}

export interface OptionsB {
  readonly timeZone?: string
  readonly speakerRegistrantType?: string
  readonly cancelledSpeakers?: 'keep' | 'exclude'
  readonly fields?: { readonly email: string }
}

/** Options of an integration in the configuration, except the options in its block `source`. */
export interface OptionsOfBoth {
  readonly content: readonly Content[]
  readonly removals: 'remove' | 'keep'
  /** Default: `update`. The model does not cover the rule about people's names. */
  readonly handover?: 'replace' | 'update'
  readonly maxShare: number
  readonly maxStatedShare: number
  readonly minCount: number
  readonly blackout: boolean
  readonly massUpdate: number
  readonly onHold: 'stop' | 'withholdRemovals'
  readonly custom?: CustomOptions
  readonly exclude?: readonly RuleOptions[]
  /** Suppressed items. The suppressed items are not part of the configuration. */
  readonly suppressed?: readonly Suppressed[]
}

/** Returns these options as keys of an integration in the configuration. */
export function configOf(options: OptionsOfBoth): Readonly<Record<string, unknown>> {
  const {
    content,
    removals: action,
    handover = 'update',
    maxShare,
    maxStatedShare,
    minCount,
    blackout,
    massUpdate,
    onHold,
    custom,
    exclude,
  } = options
  return {
    content,
    removals: { action, maxShare, maxStatedShare, minCount },
    handover,
    guards: { blackout, massUpdate, onHold },
    ...(custom === undefined ? {} : { fields: custom }),
    ...(exclude === undefined ? {} : { exclude }),
  }
}
