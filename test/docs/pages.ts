import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import MarkdownIt, { type Token } from 'markdown-it'
import { slug } from './slug.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Folders below `test/` with documents that are data of tests. */
const OF_TESTS = ['test/cases/**', 'test/upgrade/**']

/** The part of a page from one heading to the next. */
export interface Section {
  readonly title: string
  /** Anchor of the heading. */
  readonly anchor: string
  readonly text: string
}

/** A document of the project. */
export interface Page {
  /** Path from the root of the project, such as sql/README.md. */
  readonly path: string
  readonly title: string
  readonly html: string
  readonly sections: readonly Section[]
  /** Anchors to which links may lead. */
  readonly anchors: ReadonlySet<string>
  /** Targets of links and pictures, as written. */
  readonly links: readonly string[]
}

/** Reads all documents of the project. The README of the project is first, and a README first in its folder. */
export function readPages(): readonly Page[] {
  const order = (path: string) => path.replace(/README\.md$/, '')
  return globSync('{*.md,{loaders,pipeline,sql,test,transforms}/**/*.md}', { cwd: ROOT, exclude: OF_TESTS })
    .map((path) => path.split(sep).join('/'))
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
    .map((path) => readPage(path, readFileSync(join(ROOT, path), 'utf8')))
}

/** Reads a document: makes its HTML, and finds its sections, anchors and links. */
export function readPage(path: string, text: string): Page {
  const markdown = new MarkdownIt({ html: true })
  const tokens = markdown.parse(text, {})
  const anchors = new Set([...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id = '']) => id))
  const sections: { title: string; anchor: string; text: string }[] = []
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const title = plainText(tokens[index + 1])
      const anchor = uniqueAnchor(slug(title), anchors)
      anchors.add(anchor)
      token.attrSet('id', anchor)
      sections.push({ title, anchor, text: '' })
    } else if (tokens[index - 1]?.type !== 'heading_open') {
      const last = sections.at(-1)
      if (last !== undefined) last.text = `${last.text} ${plainText(token)}`.trimEnd()
    }
  })
  const links = tokens.flatMap(({ children }) => children ?? []).flatMap(linkOf)
  const html = markdown.renderer
    .render(tokens, markdown.options, {})
    // Wide tables and code can be scrolled, and tabindex lets users scroll them by keyboard.
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
  return { path, title: sections[0]?.title ?? path, html, sections, anchors, links }
}

/** Returns the text of a token without its markup; of a code block the code. */
function plainText(token: Token | undefined): string {
  if (token?.children == null) return token?.type === 'fence' ? token.content : ''
  return token.children
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : ' '))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
}

function uniqueAnchor(anchor: string, taken: ReadonlySet<string>): string {
  let number = 0
  while (taken.has(number === 0 ? anchor : `${anchor}-${number}`)) number += 1
  return number === 0 ? anchor : `${anchor}-${number}`
}

/** Returns the target of a link or picture. A link to a document leads to its page in the site. */
function linkOf(token: Token): readonly string[] {
  const name = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : null
  const target = name === null ? null : token.attrGet(name)
  if (name === null || typeof target !== 'string') return []
  if (isLocal(target)) token.attrSet(name, target.replace(/\.md(?=#|$)/, '.html'))
  return [target]
}

export const isLocal = (target: string) => !/^[a-z]+:/.test(target)

/** Returns the path from the root to which a link of a page leads, and the anchor. */
export function resolveLink(
  page: string,
  target: string,
): { readonly path: string; readonly anchor: string } {
  const [file = '', anchor = ''] = decodeURI(target).split('#')
  return {
    path:
      file === ''
        ? page
        : normalize(join(dirname(page), file))
            .split(sep)
            .join('/'),
    anchor,
  }
}

/** Lists links that lead to no file, to a folder, or to no heading. */
export function deadLinks(pages: readonly Page[]): readonly string[] {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  return pages.flatMap((page) =>
    page.links.filter(isLocal).flatMap((target) => {
      const { path, anchor } = resolveLink(page.path, target)
      const file = join(ROOT, path)
      if (!existsSync(file) || path.startsWith('..')) return [`${page.path}: ${target} does not exist`]
      if (statSync(file).isDirectory()) return [`${page.path}: ${target} is a folder; link to its README.md`]
      const to = byPath.get(path)
      if (anchor === '' || to?.anchors.has(anchor) === true) return []
      return [`${page.path}: ${target} leads to no heading`]
    }),
  )
}
