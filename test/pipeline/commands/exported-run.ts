import { begin, runOnce } from './rename-small-event.ts'
import type { Workspace } from './workspace.ts'

export const TABLES = [
  'agenda',
  'attendees',
  'certificates',
  'changes',
  'decisions',
  'load_results',
  'reconciliation',
  'speakers',
]

export const exportAs = (workspace: Workspace, run: string, ...args: readonly string[]) =>
  workspace.run('export', run, '--format', ...args)

export async function oneRun(engine?: Parameters<typeof begin>[0]) {
  const begun = await begin(engine)
  return { ...begun, run: (await runOnce(begun.workspace)).run }
}
