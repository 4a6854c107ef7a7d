import type { PackFile } from '../csv-files/csv.ts'
import { FILE_DESCRIPTIONS } from '../csv-files/file-descriptions.ts'
import { type Html, html } from './html.ts'
import { scrolling, table } from './table.ts'
import { grouped } from './words.ts'

export function filesSection(files: readonly PackFile[]): Html {
  const rows = files.map(
    ({
      name,
      rows,
      bytes,
    }) => html`<tr><th scope="row"><a href="${name}">${name}</a></th><td>${FILE_DESCRIPTIONS[name] ?? ''}</td>
<td class="n">${/\.(csv|jsonl)$/.test(name) ? grouped(rows) : html`<span class="none">–</span>`}</td><td class="n">${grouped(bytes)}</td></tr>
`,
  )
  return html`<p class="lead">This page is a summary; the files beside it are the proof. <code>sha256sum -c SHA256SUMS</code> checks that none was changed, <code>event-sync verify</code> their rows and sums too, and <a href="manifest.json">manifest.json</a> holds the hash of each.</p>
${scrolling('Files of this pack', table({ caption: 'Files of this pack', head: ['File', 'What it holds', '#Rows', '#Bytes'], rows }))}`
}
