import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'

const FOLDER = join(packageRoot, 'pipeline', 'observe', 'monitoring')
export const ALERTS = join(FOLDER, 'alerts.yaml')

export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** Returns the alert rules that the package contains. */
export function alertRules(): readonly AlertRule[] {
  const { groups } = parse(readFileSync(ALERTS, 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly AlertRule[] }[]
  }
  return groups.flatMap(({ rules }) => rules)
}

/** Returns the expressions of all panels of the dashboard that the package contains. */
export function dashboardExpressions(): readonly string[] {
  const { panels } = JSON.parse(readFileSync(join(FOLDER, 'grafana-dashboard.json'), 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
  }
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
}
