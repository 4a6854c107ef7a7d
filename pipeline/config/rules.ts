import { z } from 'zod'
import { TARGETS } from '../platform/registry.ts'
import { quoted } from './messages.ts'

/** A rule that is broken, and where. */
export interface Breach {
  readonly path: readonly (string | number)[]
  readonly message: string
}

// The rules run over a configuration that may have other faults, so that all are told at once: what does not
// have the expected shape is passed over here, the schema names it.
const glance = z.object({
  sealingKey: z.unknown().optional(),
  integrations: z
    .array(
      z
        .object({
          id: z.unknown().optional(),
          platform: z.object({ type: z.unknown().optional() }).catch({}),
          passwords: z.unknown().optional(),
        })
        .catch({ platform: {} }),
    )
    .catch([]),
})

/**
 * The rules that look at more than one key.
 *
 * Source: design 7 (ids); spec-gaps, "Passwords" (`http` needs the choice, `random` needs a sealing key).
 *
 * @param value the configuration, valid or not
 */
export function brokenRules(value: unknown): readonly Breach[] {
  const seen = glance.safeParse(value)
  if (!seen.success) return []
  const { integrations, sealingKey } = seen.data
  return integrations.flatMap(({ id, platform, passwords }, index) => {
    const breaches: Breach[] = []
    const first = integrations.findIndex((other) => other.id === id)
    if (typeof id === 'string' && first < index) {
      const message = `${quoted(id)} is the id of integrations[${first}] too; each needs its own`
      breaches.push({ path: ['integrations', index, 'id'], message })
    }
    const target = Object.entries(TARGETS).find(([type]) => type === platform.type)
    if (target?.[1].takesPasswords && passwords === undefined) {
      const message = `is missing; a platform of type ${target[0]} needs the choice: mode: global, random or none`
      breaches.push({ path: ['integrations', index, 'passwords'], message })
    }
    const mode: unknown = Reflect.get(Object(passwords), 'mode')
    if (mode === 'random' && sealingKey === undefined) {
      const message = 'random needs a top-level sealingKey: env:NAME or file:PATH of 32 bytes in base64'
      breaches.push({ path: ['integrations', index, 'passwords', 'mode'], message })
    }
    return breaches
  })
}
