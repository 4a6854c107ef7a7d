import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { deadLinks, isLocal, type Page, readPages, resolveLink } from './pages.ts'

const ROOT = join(import.meta.dirname, '../..')
const ASSETS = join(import.meta.dirname, 'assets')

export interface Site {
  readonly pages: number
  readonly links: number
  /** Links to other sites, which are not checked. */
  readonly outside: number
}

/**
 * Writes the documents of the project as a site into a folder, which is emptied first. The site needs no
 * server and no network: scripts are plain files, and the search index is one of them, because a browser does
 * not load modules or data for a page that was opened from a file.
 *
 * @throws Error with all links that lead nowhere
 */
export function makeSite(folder: string): Site {
  const pages = readPages()
  const dead = deadLinks(pages)
  if (dead.length > 0) throw new Error(`links lead nowhere:\n${dead.join('\n')}`)
  rmSync(folder, { recursive: true, force: true })
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const page of pages) write(toHtml(page.path), layout(page, pages))
  write(
    'index.html',
    '<!doctype html><meta http-equiv="refresh" content="0; url=README.html"><title>Documents</title>\n',
  )
  write('assets/index.js', `window.SECTIONS = ${JSON.stringify(pages.flatMap(sectionsOf))}\n`)
  for (const name of ['style.css', 'search.js'])
    copyFileSync(join(ASSETS, name), join(folder, 'assets', name))
  const minisearch = createRequire(import.meta.url).resolve('minisearch')
  copyFileSync(join(dirname(minisearch), '../umd/index.js'), join(folder, 'assets', 'minisearch.js'))
  for (const path of otherFiles(pages)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(join(ROOT, path), join(folder, path))
  }
  const links = pages.flatMap((page) => page.links)
  const local = links.filter(isLocal)
  return { pages: pages.length, links: local.length, outside: links.length - local.length }
}

const toHtml = (path: string) => path.replace(/\.md$/, '.html')

/** Lists the files that are no documents and to which documents link, such as SQL and pictures. */
function otherFiles(pages: readonly Page[]): readonly string[] {
  const linked = pages.flatMap(({ path, links }) =>
    links.filter(isLocal).map((target) => resolveLink(path, target).path),
  )
  return [...new Set(linked)].filter((path) => !path.endsWith('.md'))
}

function sectionsOf({ path, title, sections }: Page) {
  return sections.map((section, id) => ({
    id: `${path}:${id}`,
    page: title,
    title: section.title,
    text: section.text,
    url: `${toHtml(path)}#${section.anchor}`,
  }))
}

function layout(page: Page, pages: readonly Page[]): string {
  const up = '../'.repeat(page.path.split('/').length - 1)
  return `<!doctype html>
<html lang="en" data-up="${up}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)}</title>
<link rel="stylesheet" href="${up}assets/style.css">
</head>
<body>
<header>
<a href="${up}README.html">event-content-sync</a>
<form role="search"><label>Search <input type="search" id="query" autocomplete="off"></label></form>
</header>
<div id="found" role="region" aria-label="Results of the search" aria-live="polite" hidden></div>
<details class="pages"><summary>Pages</summary><nav aria-label="Pages">${navigation(page, pages, up)}</nav></details>
<main>
${page.html}</main>
<script src="${up}assets/minisearch.js"></script>
<script src="${up}assets/index.js"></script>
<script src="${up}assets/search.js"></script>
</body>
</html>
`
}

/** Returns the list of all pages, with one group for each folder at the top. */
function navigation(current: Page, pages: readonly Page[], up: string): string {
  const groups = Map.groupBy(pages, ({ path }) => (path.includes('/') ? (path.split('/')[0] ?? '') : ''))
  const link = ({ path, title }: Page) =>
    `<li><a href="${up}${toHtml(path)}"${path === current.path ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`
  return [...groups]
    .map(
      ([folder, group]) =>
        `<h2>${folder === '' ? 'project' : folder}</h2><ul>${group.map(link).join('')}</ul>`,
    )
    .join('')
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')
}
