import type { CheckedPart, Finding, Verdict } from '../sources/contract/findings.ts'

/** What `check --json` prints: every finding, and what the next run would make of each integration. */
export function checksJson(parts: readonly CheckedPart[]) {
  const integrations = Object.fromEntries(
    parts.flatMap(({ integration, counts }) => (integration === null ? [] : [[integration, counts ?? {}]])),
  )
  const checks = parts.flatMap(({ integration, findings }) =>
    findings.map(({ rule: { id: rule, clause }, verdict, seen, todo }) => {
      return { integration, rule, clause, verdict, seen, todo }
    }),
  )
  return { checks, integrations }
}

/** Findings part by part, a line for a rule that is kept, more for one that is not, and the sum at the end. */
export function describeChecks(parts: readonly CheckedPart[]): string {
  const blocks = parts.map(({ integration, title, findings }) => {
    const heading = integration === null ? title : `${integration}: ${title}`
    const idWidth = Math.max(...findings.map(({ rule }) => rule.id.length))
    return `${heading}\n${inOneLine(findings)
      .map((finding) => describe(finding, idWidth))
      .join('')}`
  })
  const all = parts.flatMap(({ findings }) => findings)
  return `${blocks.join('\n')}\n${sumOf(all)}\n`
}

/** Rules that could not be checked for the same reason become one, in the place of the first of them. */
function inOneLine(findings: readonly Finding[]): readonly Finding[] {
  return findings.flatMap((finding) => {
    if (finding.verdict !== 'not checkable' || finding.todo !== null) return [finding]
    const alike = findings.filter(
      ({ verdict, todo, seen }) => verdict === finding.verdict && todo === null && seen === finding.seen,
    )
    if (alike.length < 2) return [finding]
    if (alike[0] !== finding) return []
    const sentence = `and ${alike.length - 1} more`
    return [{ ...finding, rule: { ...finding.rule, sentence, clause: null } }]
  })
}

const WIDTH = 'not checkable'.length

function describe({ rule, verdict, seen, todo }: Finding, idWidth: number): string {
  const shown = verdict === 'failed' ? 'FAILED' : verdict
  const head = `  ${shown.padEnd(WIDTH)}  ${rule.id.padEnd(idWidth)}  `
  const clause = rule.clause === null ? '' : ` (${rule.clause})`
  if (verdict === 'ok') return `${head}${seen}${clause}\n`
  const indent = ' '.repeat(head.length)
  const lines = [`${head}${rule.sentence}${clause}`, `${indent}seen:  ${seen}`]
  if (todo !== null) lines.push(`${indent}to do: ${todo}`)
  return `${lines.join('\n')}\n`
}

function sumOf(findings: readonly Finding[]): string {
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length
  const sum = `${count('failed')} failed, ${count('not checkable')} not checkable, ${count('ok')} ok`
  return count('failed') > 0 ? `${sum}: fix what failed and check again` : `${sum}: nothing failed`
}
