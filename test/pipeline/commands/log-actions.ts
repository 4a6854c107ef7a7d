import type { Workspace } from './workspace.ts'

export type Logged = Readonly<Record<string, string | null>>

export async function actionsOf(workspace: Workspace): Promise<readonly Logged[]> {
  return JSON.parse((await workspace.run('log', 'summit', '--limit', '100', '--json')).stdout).actions
}

export async function namesOf(workspace: Workspace) {
  return (await actionsOf(workspace)).map(({ action, detail }) =>
    detail === null ? action : `${action} ${detail}`,
  )
}
