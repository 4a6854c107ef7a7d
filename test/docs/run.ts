/**
 * Writes the documents of the project as a site into the folder `site/`: `npm run docs`. Fails if a link
 * leads to no file or to no heading. Open `site/index.html` in a browser; no server is needed.
 */
import { join } from 'node:path'
import { makeSite } from './site.ts'

const { pages, links, outside } = makeSite(join(import.meta.dirname, '../../site'))
console.log(`${pages} pages in site/index.html; ${links} links between them lead to a heading or a file`)
console.log(`not checked: ${outside} links to other sites, which would need a network`)
console.log(
  'code blocks: test/readme.database.test.ts checks them, test/readme-commands.long.test.ts runs them',
)
