import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findInstalled } from '../support/installed-postgres.ts'
import { missingForCluster } from './unattended/cluster.ts'
import { missingForMachines } from './unattended/network.ts'

/**
 * A proof: a check that takes too long for the usual tests (`.ci/run`), depends on chance, or needs an
 * otherwise idle machine.
 */
export interface Proof {
  readonly name: string
  /** npm scripts with their arguments, which run one after the other. All scripts must pass. */
  readonly full: readonly string[]
  /** The scripts with arguments for a shorter run, used with `--quick`; default: `full`. */
  readonly quick?: readonly string[]
  /** The option by which the scripts receive the seed for their random choices. */
  readonly seedOption?: '--seed' | '--from'
  readonly environment?: Readonly<Record<string, string>>
  /**
   * Names the program that is missing on this machine to run the proof; returns null if nothing is missing.
   */
  readonly missing?: () => string | null
}

const SHARED = join(import.meta.dirname, '../../../shared')
const withoutShared = (folder: string) =>
  existsSync(`${SHARED}/${folder}`) ? null : `no folder ../shared/${folder}`
const withoutProc = () => (existsSync('/proc/self/status') ? null : 'no /proc: not Linux')
const withoutBrowser = () =>
  existsSync(process.env.CHROMIUM ?? '/usr/bin/chromium') ? null : 'no Chromium (set CHROMIUM=path)'

const withoutPython = () =>
  spawnSync('python3', ['--version']).status === 0 ? null : 'no python3, for verify.py'

const withoutPostgres15 = () => (findInstalled() === null ? 'no PostgreSQL 15 is installed' : null)

const withoutPgbouncer = () =>
  spawnSync('pgbouncer', ['--version']).status === 0
    ? null
    : 'no pgbouncer (Debian: apt-get install pgbouncer)'

/**
 * Test files in which the database does not answer, is disconnected, restarted, restored from a backup, or
 * used by two processes.
 */
const INFRASTRUCTURE = [
  'commands/restored',
  'commands/silent-database',
  'commands/restarted-database',
  'commands/interrupted',
  'commands/export.long',
  'commands/refusals',
  'commands/run.database',
  'lost-lock',
  'gone-database',
  'database/postgres',
  'database/backup',
  'loaders/ledger/ledger',
]

export const PROOFS: readonly Proof[] = [
  {
    name: 'long',
    full: ['test:long --exclude **/*.browser.long.test.ts --exclude **/*.{tools,deploy}.long.test.ts'],
  },
  { name: 'engines', full: ['test'], environment: { TEST_ENGINE: 'both' } },
  { name: 'installed', full: ['installed'], missing: withoutPostgres15 },
  { name: 'browser', full: ['test:long .browser.long.test.ts'], missing: withoutBrowser },
  // Each test is skipped if its tool is missing.
  { name: 'tools', full: ['test:long .tools.long.test.ts'] },
  {
    name: 'deploy',
    // Each test is skipped if its tool is missing. The first script builds the package, which the second one uses.
    full: [
      'test:long container.deploy.long.test.ts',
      'test:long lint.deploy schedulers.deploy',
      'test pipeline/deploy/deploy.test.ts',
    ],
  },
  { name: 'package', full: ['package'] },
  {
    name: 'model',
    full: ['model --seeds 300', 'model --seeds 60 --least 0 --engine postgres'],
    quick: ['model --seeds 60 --least 5', 'model --seeds 15 --least 0 --engine postgres'],
    seedOption: '--from',
  },
  {
    name: 'histories',
    full: ['histories --seeds 100', 'histories --seeds 30 --least 0 --engine postgres'],
    quick: ['histories --seeds 15 --least 0'],
    seedOption: '--from',
  },
  // Running all mutations takes a day, so this proof runs only a twentieth of them, and fewer with `--quick`.
  { name: 'mutations', full: ['mutations --share 1/20'], quick: ['mutations --share 1/240'] },
  { name: 'faults', full: ['faults'], quick: ['faults --runs 60'], seedOption: '--from' },
  {
    name: 'forgeries',
    full: ['forgeries'],
    quick: ['test:long test/loaders/verify/forgeries'],
    missing: withoutPython,
  },
  { name: 'kills', full: ['kills'], quick: ['kills --random 6 --hits 1'], seedOption: '--seed' },
  { name: 'year', full: ['year --seeds 3'], quick: ['year --seeds 1'] },
  { name: 'unattended', full: ['unattended'], quick: ['unattended --integrations 20 --workers 2'] },
  {
    name: 'machines',
    full: ['machines'],
    quick: ['machines --integrations 6 --moments apply'],
    missing: missingForMachines,
  },
  {
    name: 'failover',
    full: ['failover'],
    quick: ['failover --kills 3 --integrations 2'],
    missing: missingForCluster,
  },
  {
    name: 'soak',
    full: ['soak'],
    quick: ['soak --minutes 2 --integrations 3 --every 4'],
    missing: withoutProc,
  },
  {
    name: 'disks',
    full: ['disks'],
    quick: ['disks --levels 6'],
    missing: () => (process.platform === 'linux' && process.getuid?.() === 0 ? null : 'only root can mount'),
  },
  {
    name: 'infrastructure',
    full: [`infrastructure ${INFRASTRUCTURE.join(' ')} broken-platforms platform.long full-disk`],
    quick: [`infrastructure ${INFRASTRUCTURE.join(' ')}`],
  },
  { name: 'pooler', full: ['infrastructure database/pooler'], missing: withoutPgbouncer },
  { name: 'suites', full: ['suites'], missing: () => withoutShared('suites') },
  { name: 'realdata', full: ['realdata'], missing: () => withoutShared('realdata') },
  { name: 'memory', full: ['memory'], missing: withoutProc },
  { name: 'move', full: ['move'], quick: ['move --people 10000 --runs 20'], missing: withoutProc },
  { name: 'bench', full: ['bench'], quick: ['bench --sizes 5000 --rounds 1'], missing: withoutProc },
]
