import type { CheckedPart, Finding, Verdict } from '../check/findings.ts'

/**
 * Prints findings: with `json` one object on standard output and the text for people on standard error, else the
 * text alone.
 */
export function printChecks(parts: readonly CheckedPart[], json: boolean): void {
  const output = json ? process.stderr : process.stdout
  output.write(describeChecks(parts))
  if (json) process.stdout.write(`${JSON.stringify({ checks: parts.flatMap(toJson) })}\n`)
}

function toJson({ integration, findings }: CheckedPart) {
  return findings.map(({ rule, verdict, seen, todo }) => ({
    integration,
    rule: rule.id,
    clause: rule.clause,
    verdict,
    seen,
    todo,
  }))
}

/** Findings part by part, a line for what is so, more for what is not, and the sum at the end. */
function describeChecks(parts: readonly CheckedPart[]): string {
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

/** Rules that could not be checked for one and the same reason stand together, where the first of them does. */
function inOneLine(findings: readonly Finding[]): readonly Finding[] {
  const isAlike = (one: Finding, other: Finding) =>
    other.verdict === 'not checkable' && one.todo === null && other.todo === null && one.seen === other.seen
  return findings.flatMap((finding, index) => {
    if (finding.verdict !== 'not checkable') return [finding]
    const alike = findings.filter((other) => isAlike(finding, other))
    if (alike.length < 2) return [finding]
    if (findings.findIndex((other) => isAlike(finding, other)) < index) return []
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
  return count('failed') > 0 ? `${sum}: mend what failed and check again` : `${sum}: nothing failed`
}
