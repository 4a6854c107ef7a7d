import { UserError } from '../settings/errors.ts'

/** A run of another tool, for example of a scheduler. */
interface OtherRun {
  readonly run: { readonly runId: string }
  readonly job: { readonly namespace: string; readonly name: string }
}

/** The run that started this command, and the first run of its chain. */
export interface ParentRun extends OtherRun {
  readonly root: OtherRun
}

/**
 * Returns the run of the tool that started this command. The variables are those that dbt-ol and the Python
 * client of OpenLineage read.
 *
 * @returns null if no tool set OPENLINEAGE_PARENT_ID
 * @throws UserError if a variable has another form than namespace, job and run id
 */
export function parentRunOf(env: Readonly<Record<string, string | undefined>>): ParentRun | null {
  const parent = otherRunIn('OPENLINEAGE_PARENT_ID', env)
  return parent === null ? null : { ...parent, root: otherRunIn('OPENLINEAGE_ROOT_PARENT_ID', env) ?? parent }
}

const FORM = /^(?<namespace>.+)\/(?<name>[^/]+)\/(?<runId>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

function otherRunIn(variable: string, env: Readonly<Record<string, string | undefined>>): OtherRun | null {
  const text = env[variable] ?? ''
  if (text === '') return null
  const { namespace, name, runId } = FORM.exec(text)?.groups ?? {}
  if (namespace !== undefined && name !== undefined && runId !== undefined)
    return { run: { runId }, job: { namespace, name } }
  throw new UserError(
    'usage',
    `the environment variable ${variable} is not NAMESPACE/JOB/RUN, with a UUID as RUN`,
    'correct it in the tool that sets it, or remove it; nothing was read or written',
  )
}
