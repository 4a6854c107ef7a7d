import { expect, test } from 'vitest'
import { databaseNamespace } from '../../../pipeline/observe/lineage-event.ts'
import { parentRunOf } from '../../../pipeline/observe/lineage-parent.ts'

const RUN = '01a1fda0-7c5e-4d41-9b3f-2f6a1c0d8e77'
const ROOT = '02a1fda0-7c5e-4d41-9b3f-2f6a1c0d8e77'

test('without OPENLINEAGE_PARENT_ID, a run has no parent', () => {
  expect(parentRunOf({})).toBeNull()
  expect(parentRunOf({ OPENLINEAGE_PARENT_ID: '' })).toBeNull()
})

test('the root of the chain is the parent, if OPENLINEAGE_ROOT_PARENT_ID names no other run', () => {
  const env = { OPENLINEAGE_PARENT_ID: `https://airflow.example/a/dag.task/${RUN}` }
  const parent = { run: { runId: RUN }, job: { namespace: 'https://airflow.example/a', name: 'dag.task' } }
  expect(parentRunOf(env)).toEqual({ ...parent, root: parent })
  const root = { run: { runId: ROOT }, job: { namespace: 'cron', name: 'night' } }
  expect(parentRunOf({ ...env, OPENLINEAGE_ROOT_PARENT_ID: `cron/night/${ROOT}` })).toEqual({
    ...parent,
    root,
  })
})

test.each(['airflow', `dag/${RUN}`, 'airflow/dag/4711', `airflow//${RUN}`])(
  'a parent "%s" is refused, with the name of the variable',
  (text) => {
    expect(() => parentRunOf({ OPENLINEAGE_PARENT_ID: text })).toThrow(
      /^the environment variable OPENLINEAGE_PARENT_ID is not NAMESPACE\/JOB\/RUN/,
    )
  },
)

test('the namespace of a server has its host and port, with brackets around an IPv6 address', () => {
  const of = (host: string) => databaseNamespace({ server: { host, port: 5432 } }, 'events')
  expect(of('db.example')).toBe('postgres://db.example:5432')
  expect(of('::1')).toBe('postgres://[::1]:5432')
  expect(databaseNamespace({ server: null }, 'events')).toBe('pglite://events')
})
