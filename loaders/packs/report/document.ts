import { createHash } from 'node:crypto'
import { type Html, html, styleOf } from './html.ts'

const SMALL_STYLE = 'body{font:1rem/1.5 system-ui,sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem}'

/**
 * The style sheet of the report, for phones, desktops and paper, light and dark. The style sheet must not
 * contain `<`.
 */
const STYLE = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --card: #f6f7f9; --ink: #1a1f25; --soft: #525c68; --line: #d4d9df; --strong: #87919c;
  --link: #17559c; --bar: #2f6fb5; --past: #8fb0d3; --band: #d3e2f2;
  --good: #14683a; --bad: #a8201a; --warn: #7d4a00; --alarm: #fdf0ef; --mark: #e8eef6;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #13161a; --card: #1b2026; --ink: #e6e9ed; --soft: #a5afba; --line: #343c46; --strong: #6f7a86;
    --link: #8dbcf2; --bar: #6ea8e5; --past: #3f6a99; --band: #24384f;
    --good: #7ed6a0; --bad: #ff9d94; --warn: #f2c06f; --alarm: #33191a; --mark: #27313d;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 78rem; padding: 0 1rem 3rem; background: var(--page); color: var(--ink);
  font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
@media (min-width: 48rem) { body { padding: 0 2rem 4rem; } }
h1, h2, h3, p, ul, dl { margin: 0; }
h1 { font-size: 1.75rem; line-height: 1.2; letter-spacing: -0.01em; }
h2 { font-size: 1.25rem; line-height: 1.3; margin-bottom: 0.5rem; }
h3 { font-size: 1rem; line-height: 1.4; margin: 1rem 0 0.25rem; }
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
main:focus { outline: none; }
code, .hash { font: 0.875em/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
bdi { white-space: pre-line; }
.skip { position: absolute; left: -100rem; background: var(--page); padding: 0.5rem 1rem; z-index: 3; }
.skip:focus { left: 0.5rem; top: 0.5rem; }
.unseen, .day caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
header { padding: 2rem 0 1rem; }
.kind { color: var(--soft); font-size: 0.8125rem; letter-spacing: 0.06em; text-transform: uppercase; }
.when, .of, .lead, .meaning, .cut, .none, footer { color: var(--soft); }
.of { font-weight: 400; font-size: 0.875rem; }
.lead { max-width: 60rem; margin-bottom: 0.75rem; }
.meaning { display: block; font-weight: 400; font-size: 0.8125rem; }
.outcomes { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 1rem; }
.outcomes a { text-decoration: none; }
.outcomes a:hover .verdict { text-decoration: underline; }
.outcomes .verdict { border: 1px solid currentColor; border-radius: 1rem; padding: 0.25rem 0.75rem; display: inline-block; }
.verdict { font-weight: 600; }
.verdict.good { color: var(--good); }
.verdict.bad { color: var(--bad); }
.verdict.warn { color: var(--warn); }
nav { border-block: 1px solid var(--line); }
nav ul { list-style: none; padding: 0.5rem 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
nav a { display: inline-block; padding: 0.25rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
main > section { padding-top: 2rem; scroll-margin-top: 0.5rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
caption { text-align: left; color: var(--soft); font-size: 0.8125rem; padding: 0.5rem 0 0.25rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.75rem 0.3rem 0; font-weight: 400; }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-bottom: 1px solid var(--strong); color: var(--soft); font-size: 0.8125rem; vertical-align: bottom; }
tbody tr, thead + tr, tr + tr { border-bottom: 1px solid var(--line); }
.group { font-weight: 600; padding-top: 0.9rem; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.n + :not(.n) { padding-left: 0.75rem; }
td .verdict { white-space: nowrap; }
.scroll { overflow-x: auto; }
.scroll table { min-width: min-content; }
.scroll th, .scroll td { overflow-wrap: break-word; }
.open th, .open td { background: var(--alarm); font-weight: 600; }
.alarm { border: 2px solid var(--bad); border-radius: 6px; padding: 0.75rem 1rem; margin-bottom: 1rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0.75rem 2rem; margin-top: 1.25rem; }
dt { color: var(--soft); font-size: 0.8125rem; }
dd { margin: 0; }
.inline { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0.25rem 0 0.5rem; }
.inline div { display: flex; gap: 0.35rem; align-items: baseline; }
.inline dd { font-weight: 600; font-variant-numeric: tabular-nums; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; align-items: start; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 0.9rem 1rem; min-width: 0; }
.card h3 { margin: 0 0 0.5rem; }
svg { display: block; width: 100%; max-width: 26rem; height: auto; }
svg text { fill: var(--ink); font-size: 13px; }
svg .stage { font-weight: 600; }
svg .aside { fill: var(--soft); font-size: 12.5px; }
.bar { fill: var(--bar); }
.past { fill: var(--past); }
.band { fill: var(--band); }
.leaving { fill: var(--card); stroke: var(--soft); stroke-dasharray: 3 3; }
.floor { stroke: var(--strong); fill: none; }
svg.spark { height: 1.25rem; width: auto; max-width: 100%; }
.spark path { fill: none; stroke-width: 3; }
.spark .changes { stroke: var(--bar); }
.spark .removed { stroke: var(--bad); }
.spark .floor { stroke-width: 1; }
details { margin-top: 0.75rem; }
summary { cursor: pointer; padding: 0.3rem 0; color: var(--link); }
summary h3 { display: inline; margin: 0; color: var(--ink); }
.day { border-top: 1px solid var(--line); padding-top: 0.4rem; }
blockquote { margin: 0.5rem 0; padding-left: 1rem; border-left: 3px solid var(--warn); }
.note { border-left: 3px solid var(--warn); padding: 0.25rem 0 0.25rem 0.75rem; margin-bottom: 0.75rem; }
.changes table { table-layout: fixed; }
.changes thead th:first-child { width: clamp(7.25rem, 20%, 12rem); }
.action { font-size: 0.75rem; border: 1px solid var(--strong); border-radius: 3px; padding: 0.05rem 0.35rem; font-weight: 400; }
.label, .why { color: var(--soft); font-weight: 400; }
.day table { table-layout: fixed; }
.day thead th:first-child { width: clamp(6.25rem, 15%, 7.5rem); }
.day thead th:last-child { width: 30%; }
.day tbody th { font-variant-numeric: tabular-nums; }
.mark { background: var(--mark); border-radius: 3px; padding: 0 0.3rem; font-size: 0.75rem; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; font-size: 0.8125rem; }
@media (max-width: 40rem) {
  th, td { padding-right: 0.5rem; }
  .scroll table { font-size: 0.8125rem; }
  .scroll thead th { font-size: 0.75rem; }
}
@media print {
  @page { margin: 1.5cm; }
  body { max-width: none; padding: 0; font-size: 9pt; }
  nav, .skip { display: none; }
  header { padding-top: 0; }
  main > section { padding-top: 1rem; }
  .scroll { overflow: visible; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  summary { list-style: none; color: var(--ink); }
  h2, h3, summary, caption { break-after: avoid; }
  tr, .card, .alarm { break-inside: avoid; }
  .cards { grid-template-columns: repeat(3, 1fr); gap: 0.5rem; }
  .card { padding: 0.5rem; }
  .facts { grid-template-columns: repeat(3, 1fr); gap: 0.4rem 1rem; }
  .scroll table { min-width: 0; font-size: 8pt; }
  a { color: inherit; }
}
`

/**
 * Returns the content security policy of a page. A browser may only apply the page's own style sheet. The
 * policy forbids scripts, loading, sending and frames.
 */
function policyOf(style: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/**
 * Makes a complete page that needs no other file.
 *
 * @param what name of the page's main part; keyboard users see it in the link that skips to the main part
 * @param body HTML of the page, which must contain the main part as `<main id="main">`
 */
export function documentOf(title: string, what: string, body: Html): Html {
  return styled(
    title,
    STYLE,
    html`<a class="skip" href="#main">Skip to the ${what}</a>
${body}`,
  )
}

/** Makes a complete page as `documentOf` does, but with few bytes: the page has only a main part. */
export function smallDocumentOf(title: string, body: Html): Html {
  return styled(title, SMALL_STYLE, body)
}

function styled(title: string, style: string, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${styleOf(style)}
</head>
<body>
${body}</body>
</html>
`
}
