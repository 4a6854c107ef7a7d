import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../support/folder.ts'
import { DEPLOY } from './dockerfile.ts'

/** A linter: its arguments, and how its version is asked. It is looked for in PATH. */
interface Linter {
  readonly program: string
  readonly args: readonly string[]
  readonly version?: readonly string[]
}

const YAML_RULES = `{extends: default, rules: {line-length: {max: 130}, document-start: disable, braces: disable, comments: disable, truthy: {check-keys: false}}}`
const schema = (name: string, file: string): Linter => ({
  program: 'check-jsonschema',
  args: ['--builtin-schema', `vendor.${name}`, file],
})
const units = globSync('systemd/*.{service,timer}', { cwd: DEPLOY })

const LINTERS: readonly Linter[] = [
  { program: 'hadolint', args: ['--failure-threshold', 'style', 'Dockerfile'] },
  schema('compose-spec', 'compose.yaml'),
  { program: 'yamllint', args: ['--strict', '-d', YAML_RULES, '.'] },
  { program: 'actionlint', args: ['github-actions.yml'] },
  schema('github-workflows', 'github-actions.yml'),
  { program: 'systemd-analyze', args: ['verify', ...units] },
  ...units
    .filter((unit) => unit.endsWith('.service'))
    .map((unit) => ({
      program: 'systemd-analyze',
      args: ['security', '--offline=true', '--threshold=30', unit],
    })),
  { program: 'shellcheck', args: ['event-sync'] },
  { program: 'ruff', args: ['check', '--no-cache', '--line-length', '140', '.'] },
]

/** Linters of the objects that kustomize makes, in a file. */
const KUBERNETES: readonly Linter[] = [
  { program: 'kubernetes-validate', args: ['--strict'] },
  { program: 'kube-score', args: ['score', '--output-format', 'ci'], version: ['version'] },
]

const isThere = ({ program, version = ['--version'] }: Linter) =>
  spawnSync(program, [...version]).status === 0

function lint({ program, args }: Linter, more: readonly string[] = [], cwd = DEPLOY): void {
  const { status, stdout, stderr } = spawnSync(program, [...args, ...more], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, POSTGRES_PASSWORD: 'x' },
  })
  expect([status, stdout + stderr]).toEqual([0, expect.anything()])
}

describe.each(LINTERS.map((linter) => [linter.program, linter.args.join(' '), linter] as const))(
  '%s %s',
  (program, _, linter) => {
    test.skipIf(!isThere(linter))(`${program} finds no fault (skipped without ${program})`, () =>
      lint(linter),
    )
  },
)

const COMPOSE: Linter = {
  program: 'docker',
  args: ['compose', 'config', '--quiet'],
  version: ['compose', 'version'],
}

test.skipIf(!isThere(COMPOSE))(
  'Docker Compose finds no fault in compose.yaml beside .env, as README.md says (skipped without docker compose)',
  () => {
    const folder = makeFolder(onTestFinished)
    copyFileSync(join(DEPLOY, 'compose.yaml'), join(folder, 'compose.yaml'))
    copyFileSync(join(DEPLOY, 'env.example'), join(folder, '.env'))
    lint(COMPOSE, [], folder)
  },
)

describe.skipIf(spawnSync('kubectl', ['kustomize', '--help']).status !== 0)(
  'Kubernetes (skipped without kubectl)',
  () => {
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'event-sync-deploy-'))
    })
    afterAll(() => rmSync(folder, { recursive: true }))

    /** Makes the objects of the base, with the CronJob instead of the workers or as it is. */
    function build(resource: string): string {
      const base = join(folder, resource)
      const { status } = spawnSync('cp', ['-r', join(DEPLOY, 'kubernetes'), base])
      expect(status).toBe(0)
      const path = join(base, 'kustomization.yaml')
      const text = readFileSync(path, 'utf8').replace(/ {2}- worker\.yaml.*\n.*cron-job.*/, `  - ${resource}`)
      writeFileSync(path, text)
      const { stdout, stderr } = spawnSync('kubectl', ['kustomize', base], { encoding: 'utf8' })
      expect(stderr).toBe('')
      const built = join(folder, `built-${resource}`)
      writeFileSync(built, stdout)
      return built
    }

    test.each([
      [
        'worker.yaml',
        ['ConfigMap', 'PersistentVolumeClaim', 'Deployment', 'PodDisruptionBudget', 'NetworkPolicy'],
      ],
      ['cron-job.yaml', ['ConfigMap', 'PersistentVolumeClaim', 'CronJob', 'NetworkPolicy']],
    ])('kustomize makes the objects of %s', (resource, kinds) => {
      const found = [...readFileSync(build(resource), 'utf8').matchAll(/^kind: (\w+)/gm)].map(
        ([, kind]) => kind,
      )
      expect(found.sort()).toEqual(kinds.sort())
    })

    describe.each(KUBERNETES.map((linter) => [linter.program, linter] as const))('%s', (program, linter) => {
      test.skipIf(!isThere(linter)).each(['worker.yaml', 'cron-job.yaml'])(
        `${program} finds no fault in the objects of %s (skipped without ${program})`,
        (resource) => lint(linter, [build(resource)]),
      )
    })
  },
)
