import { existsSync } from 'node:fs'
import { Option } from 'commander'
import { counted } from '../../transforms/texts/counted.ts'
import type { BaseContext } from '../context/run-context.ts'
import { schemaOf } from '../database/migrate.ts'
import { embeddedFolder } from '../database/private-folder.ts'
import { checkIntegration, type Ledger } from '../inspect/check-integration.ts'
import { INTERACTIVE_SECONDS, openScratch } from '../inspect/read-source.ts'
import { checkDatabase, checkSecrets } from '../inspect/set-up.ts'
import { EXIT } from '../runtime/report.ts'
import type { CheckStatus, ChecksJson } from '../schemas/setup.ts'
import type { CheckedPart, RuleResult } from '../sources/contract/rule-result.ts'
import { outsideSourcesOf } from '../sources/registry.ts'
import { IDS, integrationsOf } from './arguments.ts'
import { type Paint, paintFor, unpainted } from './colours.ts'
import { type Call, defineCommand } from './define-command.ts'
import type { CommandIo } from './io.ts'
import type { Why } from './quiet.ts'
import { openConfig, openDatabase } from './session.ts'

const HELP = `
Exit code 1 where a rule failed. Where what came does not show it, a rule is "not checkable", which is no fault. Says of each content
how many records the next run would sync, and why not the others. Of a PostgreSQL it counts what suppress leaves out, does not count people
who were forgotten, and says whether the next run could go on from it: not where it was restored from a backup, or where another integration writes to the platform event.

At a terminal it spends at most 30 seconds on tries to read a source that fail; without one, or with --no-input, as many as a run (http.retryBudgetSeconds).

Examples:
  event-sync check                    every integration of event-sync.yaml
  event-sync check summit             this one
  event-sync check --json summit      for machines: {"checks":[{"integration","rule","clause","status","seen","todo"}],
                                      "integrations":{"summit":{"agenda":{"synced":17,"excluded":{"not_published":44},"quarantined":0}}}}`

export const addCheckCommand = defineCommand({
  name: 'check',
  summary: 'configuration, credentials, reachability and the set-up of the source account; writes nothing',
  help: HELP,
  exits: ['failed', 'locked', 'usage'],
  args: [IDS],
  options: [
    new Option(
      '--deep',
      'make every check of sql/checks on all that a PostgreSQL has, not on what a run wrote',
    ),
  ],
  async run({ options, global, io }: Call<{ readonly deep?: boolean }>, ids: readonly string[]) {
    const context = await openConfig(global, io)
    const { config, secrets } = context
    const integrations = integrationsOf(config, ids)
    const budgetSeconds = budgetFor(io, global.input, config.http.retryBudgetSeconds)
    const checks = { isDeep: options.deep, budgetSeconds }
    const database = await checkDatabase(config, secrets)
    const parts: CheckedPart[] = [{ integration: null, title: 'database', results: [database] }]
    const results = checkSecrets(context)
    if (results.length > 0) parts.push({ integration: null, title: 'keys and notifications', results })
    const scratch = await openScratch(outsideSourcesOf(config))
    const ledger = await openLedger(context, database.status === 'ok')
    try {
      for (const [index, integration] of integrations.entries()) {
        const place = { number: index + 1, of: integrations.length }
        parts.push(await checkIntegration(context, integration, scratch, ledger, { ...checks, place }))
      }
    } finally {
      await scratch.close()
      if (typeof ledger !== 'string') await ledger.close()
    }
    const hasFault = parts.some(({ results }) => results.some(({ status }) => status === 'failed'))
    const code = hasFault ? EXIT.failed : EXIT.ok
    const paint = paintFor(global.json ? io.stderr : io.stdout, global)
    const text = describeChecks(parts, paint)
    return { text, json: checksJson(parts), alsoText: true, code, why: whyOf(parts) }
  },
})

/**
 * Returns how many seconds all attempts of one failing request may take together. The limit is lower if a
 * person waits at a terminal.
 *
 * @param ofRun limit during a run, in seconds
 */
export function budgetFor(
  { stdin, stderr }: Pick<CommandIo, 'stdin' | 'stderr'>,
  input: boolean,
  ofRun: number,
): number {
  const isAtTerminal = input && stderr.isTTY === true && stdin.isTTY === true
  return isAtTerminal ? Math.min(INTERACTIVE_SECONDS, ofRun) : ofRun
}

/**
 * Opens the PostgreSQL database if it has the current schema. An embedded database is not opened, because
 * opening writes to it.
 *
 * @param answers true if the database answered the check
 */
async function openLedger(context: BaseContext, answers: boolean): Promise<Ledger> {
  const { config, secrets } = context
  if (config.database === undefined) return existsSync(embeddedFolder(secrets)) ? 'unread' : 'none'
  if (!answers) return 'unread'
  const database = await openDatabase(context)
  const schema = await schemaOf(database, outsideSourcesOf(config))
  if (schema === 'current') return database
  await database.close()
  return schema === 'none' ? 'none' : 'unread'
}

/** Returns which rule failed first and how many others failed; null if no rule failed. */
function whyOf(parts: readonly CheckedPart[]): Why | null {
  const all = parts.flatMap(({ integration, results }) =>
    results.flatMap((result) => (result.status === 'failed' ? [{ integration, ...result }] : [])),
  )
  const [first, ...others] = all
  if (first === undefined) return null
  const { integration, rule, seen, todo } = first
  const more = others.length === 0 ? '' : `; and ${counted(others.length, 'more failed rule')}`
  const again = integration === null ? 'event-sync check' : `event-sync check ${integration}`
  return {
    what: `${integration ?? 'set-up'}: ${rule.id} failed: ${seen}${more}`,
    next: `${todo === null ? '' : `${todo}; then `}${again}`,
  }
}

/**
 * Returns what `check --json` prints: the result of every rule and, for each integration, what its next run
 * would sync.
 */
export function checksJson(parts: readonly CheckedPart[]): ChecksJson {
  const integrations = Object.fromEntries(
    parts.flatMap(({ integration, counts }) => (integration === null ? [] : [[integration, counts ?? {}]])),
  )
  const checks = parts.flatMap(({ integration, results }) =>
    results.map(({ rule: { id: rule, clause }, status, seen, todo }) => {
      return { integration, rule, clause, status, seen, todo }
    }),
  )
  return { checks, integrations }
}

/**
 * Formats the results of all checks, with totals at the end. A rule that passed takes one line. A rule that
 * did not pass takes more lines.
 */
export function describeChecks(parts: readonly CheckedPart[], paint: Paint = unpainted): string {
  const blocks = parts.map(({ integration, title, results }) => {
    const heading = integration === null ? title : `${integration}: ${title}`
    const idWidth = Math.max(...results.map(({ rule }) => rule.id.length))
    return `${heading}\n${inOneLine(results)
      .map((result) => describe(result, idWidth, paint))
      .join('')}`
  })
  const all = parts.flatMap(({ results }) => results)
  return `${blocks.join('\n')}\n${sumOf(all)}\n`
}

/**
 * Merges the rules that could not be checked for the same reason into one line, at the position of the first
 * of these rules.
 */
function inOneLine(results: readonly RuleResult[]): readonly RuleResult[] {
  return results.flatMap((result) => {
    if (result.status !== 'not checkable' || result.todo !== null) return [result]
    const alike = results.filter(
      ({ status, todo, seen }) => status === result.status && todo === null && seen === result.seen,
    )
    if (alike.length < 2) return [result]
    if (alike[0] !== result) return []
    const sentence = `and ${alike.length - 1} more`
    return [{ ...result, rule: { ...result.rule, sentence, clause: null } }]
  })
}

const WIDTH = 'not checkable'.length
const COLOURS = { ok: 'green', failed: 'red', 'not checkable': 'yellow' } as const

function describe({ rule, status, seen, todo }: RuleResult, idWidth: number, paint: Paint): string {
  const shown = (status === 'failed' ? 'FAILED' : status).padEnd(WIDTH)
  const id = `  ${rule.id.padEnd(idWidth)}  `
  const head = `  ${paint(COLOURS[status], shown)}${id}`
  const clause = rule.clause === null ? '' : ` (${rule.clause})`
  if (status === 'ok') return `${head}${seen}${clause}\n`
  const indent = ' '.repeat(2 + WIDTH + id.length)
  const lines = [`${head}${rule.sentence}${clause}`, `${indent}seen:  ${seen}`]
  if (todo !== null) lines.push(`${indent}to do: ${todo}`)
  return `${lines.join('\n')}\n`
}

function sumOf(results: readonly RuleResult[]): string {
  const count = (status: CheckStatus) => results.filter((result) => result.status === status).length
  const sum = `${count('failed')} failed, ${count('not checkable')} not checkable, ${count('ok')} ok`
  return count('failed') > 0 ? `${sum}: fix what failed and check again` : `${sum}: nothing failed`
}
