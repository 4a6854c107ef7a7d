import { resolveSigner } from '../config/signing.ts'
import type { BaseContext } from '../context/run-context.ts'
import { lineageAddress, webhookAddress } from '../observe/address.ts'
import { type Finding, findingOf, type Rule } from '../sources/contract/findings.ts'

const SIGNING: Rule = { id: 'signing', sentence: 'packs can be signed', clause: null }
const WEBHOOK: Rule = { id: 'webhook', sentence: 'the webhook has an address', clause: null }
const LINEAGE: Rule = { id: 'lineage', sentence: 'lineage events have an address', clause: null }

/** Says whether the key that signs packs and the addresses of notifications can be used, where configured; sends nothing. */
export function secretFindings({ config, secrets }: BaseContext): readonly Finding[] {
  const { audit, webhook, lineage } = config
  const findings: Finding[] = []
  const add = (rule: Rule, reference: string, resolve: () => unknown) =>
    findings.push(findingOf(rule, `${reference} can be used`, resolve))
  if (audit.signingKey !== undefined) add(SIGNING, audit.signingKey, () => resolveSigner(config, secrets))
  if (webhook !== undefined) add(WEBHOOK, webhook.url, () => webhookAddress(webhook, secrets))
  if (lineage !== undefined) add(LINEAGE, lineage.to, () => lineageAddress(lineage, secrets))
  return findings
}
