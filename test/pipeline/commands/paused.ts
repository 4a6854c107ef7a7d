import type { Workspace } from './workspace.ts'

export const UNTIL = '2099-05-04'
export const WHY = ['--reason', 'rooms move']

export async function statusOf(workspace: Workspace) {
  const { code, stdout } = await workspace.run('status', '--json')
  return { code, ...JSON.parse(stdout).integrations[0] }
}
