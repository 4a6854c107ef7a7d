import { createHash } from 'node:crypto'
import type { Config, IntegrationConfig } from './schema.ts'

/**
 * Names the effective configuration of one integration: SHA-256, in hex, over its canonical JSON.
 *
 * It covers the integration with its defaults, `http` and `audit`; not the other integrations, and not where
 * this machine keeps its data (`database`, `output`, `sealingKey`). Of secrets it has the references.
 */
export function configHash({ http, audit }: Config, integration: IntegrationConfig): string {
  return createHash('sha256').update(canonicalJson({ integration, http, audit })).digest('hex')
}

/** JSON without white space, keys in the order of their UTF-16 units. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
