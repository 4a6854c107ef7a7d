import { CONTENTS, type Content } from '../../sql/tables.ts'
import type { Plan } from '../../transforms/plan/plan.ts'
import { counted } from '../../transforms/texts/counted.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { targetTypeOf } from '../targets/registry.ts'

/** Returns the contents of an integration whose items the platform cannot remove. */
export function irremovableOf({ content, platform }: IntegrationConfig): readonly Content[] {
  const { removes } = targetTypeOf(platform)
  return content.filter((one) => !removes.includes(one))
}

/** Notes how many removals were withheld because the platform cannot remove such items, and what to do. */
export function noteIrremovable(
  { id, platform }: IntegrationConfig,
  { irremovable }: Pick<Plan, 'irremovable'>,
): readonly string[] {
  return CONTENTS.flatMap((content) => {
    const count = irremovable[content] ?? 0
    if (count === 0) return []
    return [
      `${content}: ${counted(count, 'removal')} withheld, because a platform of type ${platform.type} cannot remove ${content}; remove them there by hand, then \`event-sync run ${id} --refresh\` reads back what the platform has`,
    ]
  })
}
