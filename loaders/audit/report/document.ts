import { createHash } from 'node:crypto'
import { type Html, html, styleOf } from './html.ts'
import { STYLE } from './style.ts'

/** All that a browser may do with the page is to apply this style sheet: no script, and nothing fetched, sent or framed. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/**
 * A whole page that needs nothing else.
 *
 * @param what names its main part, for those who skip to it with the keyboard
 * @param body has that part as `<main id="main">`
 */
export function documentOf(title: string, what: string, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${styleOf(STYLE)}
</head>
<body>
<a class="skip" href="#main">Skip to the ${what}</a>
${body}</body>
</html>
`
}
