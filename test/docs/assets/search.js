// Searches the sections of all pages. The index is made at the first search, from the list in index.js.
const query = document.getElementById('query')
const found = document.getElementById('found')
const up = document.documentElement.dataset.up
const MOST = 12
let index = null

function makeIndex() {
  const made = new window.MiniSearch({
    fields: ['title', 'page', 'text'],
    storeFields: ['title', 'page', 'url'],
    searchOptions: { boost: { title: 3, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  })
  made.addAll(window.SECTIONS)
  return made
}

function show() {
  const text = query.value.trim()
  found.hidden = text === ''
  found.replaceChildren()
  if (text === '') return
  index ??= makeIndex()
  const hits = index.search(text)
  const summary = document.createElement('p')
  summary.textContent = hits.length === 0 ? 'No section has these words.' : `${hits.length} sections`
  const list = document.createElement('ol')
  for (const { title, page, url } of hits.slice(0, MOST)) {
    const link = document.createElement('a')
    link.href = up + url
    link.textContent = title === page ? title : `${title} (${page})`
    const item = document.createElement('li')
    item.append(link)
    list.append(item)
  }
  found.append(summary, list)
}

query.addEventListener('input', show)
query.form.addEventListener('submit', (event) => {
  event.preventDefault()
  found.querySelector('a')?.click()
})
found.addEventListener('click', () => {
  query.value = ''
  show()
})
