import type { Content } from '../../sql/tables.ts'
import { reasonOfRule, SUPPRESSED } from '../../transforms/declare/exclude.ts'
import { ROLLED_BACK } from '../../transforms/declare/reasons.ts'
import { isAddress } from '../../transforms/rules/personal-ids.ts'
import { withAnd } from '../../transforms/texts/with-and.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { HIDDEN } from '../runtime/personal.ts'

/**
 * Returns the text for a reason that the integration gives: `suppress`, a rule of `exclude` or a rollback.
 * For a reason that the source gives, the function returns null.
 *
 * @param shownId the id in the command that ends the suppression
 */
export function wordsOfOwnReason(
  integration: IntegrationConfig,
  content: Content,
  reason: string,
  shownId: string,
): { readonly text: string; readonly todo: string } | null {
  if (reason === SUPPRESSED) {
    const isByEmail = content !== 'agenda' && (shownId === HIDDEN || isAddress(shownId))
    return {
      text: 'It was left out by hand, with event-sync suppress.',
      todo: `Nothing, if that is right; otherwise undo it: event-sync unsuppress ${integration.id} ${content} ${isByEmail ? '--email' : shownId}`,
    }
  }
  if (reason === ROLLED_BACK) {
    return {
      text: 'The last plan is a rollback, and the platform did not have it after the run to which that goes back.',
      todo: `Nothing, if that is right; the next event-sync run ${integration.id} decides on the record again.`,
    }
  }
  if (!reason.startsWith(reasonOfRule(''))) return null
  const rule = ruleOf(integration, reason)
  if (rule === undefined) {
    const text = 'It was left out by a rule that is no longer in the configuration.'
    return { text, todo: `Run the integration again: event-sync run ${integration.id}` }
  }
  return {
    text: `The exclude rule ${rule.name} leaves it out, because of ${withAnd(Object.keys(rule.fields))}.`,
    todo: 'Nothing, if that is right; otherwise change the rule, or the values at the source.',
  }
}

export function ruleOf({ exclude }: IntegrationConfig, reason: string) {
  return exclude?.find(({ name }) => reason === reasonOfRule(name))
}
