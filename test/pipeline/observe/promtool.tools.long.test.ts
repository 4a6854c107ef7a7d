import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { STATES_BY_NEED } from '../../../pipeline/inspect/state.ts'
import { openPrometheus } from '../../../pipeline/observe/prometheus.ts'
import { useFolder } from '../../support/folder.ts'
import { ALERTS, alertRules, dashboardExpressions } from './monitoring.ts'

const PROMTOOL = process.env.PROMTOOL ?? 'promtool'
const isThere = spawnSync(PROMTOOL, ['--version']).error === undefined

/** Runs promtool and returns what it prints. @throws if promtool finds a fault */
function promtool(args: readonly string[], input = ''): string {
  return execFileSync(PROMTOOL, args, { encoding: 'utf8', input })
}

describe.skipIf(!isThere)(
  'promtool (skipped without it: apt-get install prometheus, or PROMTOOL=path)',
  () => {
    const folder = useFolder()

    test('the alert rules are valid', () => {
      expect(promtool(['check', 'rules', ALERTS])).toContain(`SUCCESS: ${alertRules().length} rules found`)
    })

    test('each alert fires when its cause lasts, and a paused integration raises no alert about its age', () => {
      const tests = join(import.meta.dirname, 'alerts.promtool.yaml')
      expect(promtool(['test', 'rules', tests])).toContain('SUCCESS')
    })

    test('the expressions of the dashboard are valid', () => {
      const rules = dashboardExpressions().map((expression, index) => ({
        record: `panel_${index}`,
        expr: expression.replaceAll('$__rate_interval', '5m').replaceAll('$integration', '.*'),
      }))
      const file = join(folder(), 'rules.yaml')
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
      expect(promtool(['check', 'rules', file])).toContain(`SUCCESS: ${rules.length} rules found`)
    })

    test('the text of /metrics is valid and follows the conventions', async () => {
      const { listener, text } = openPrometheus(
        () => ['summit'],
        STATES_BY_NEED,
        () => 0,
        async () => ({
          integrations: [{ integration: 'summit', state: 'held', secondsSinceSuccess: 1 }],
          jobs: { waiting: 1, oldestWaitSeconds: 2 },
        }),
      )
      listener.emit('summit', { type: 'step ended', step: 'extract', ms: 1500, errorType: null })
      expect(promtool(['check', 'metrics'], await text())).toBe('')
    })
  },
)
