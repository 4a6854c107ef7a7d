import { type Draw, traps } from '../../harness/draw.ts'
import { type Json, num, obj, render } from '../../harness/json.ts'
import { numbered } from './reference-traps.ts'
import { brokenText, words } from './text-traps.ts'

const urlText = traps<string>('URL', {
  https: [10, ({ random }) => `https://x.example/${random.below(50)}`],
  http: [3, ({ random }) => `http://x.example/${random.below(50)}?a=1,2;b|c#d`],
  signed: [
    4,
    ({ random }) =>
      random.pick([
        `https://x.example/${random.below(20)}.jpg?w=2&X-Amz-Date=1&sig=0#top`,
        `https://x.example/${random.below(20)}.jpg?Expires=7&Signature=s%2b&SIG=0`,
        `https://x.example/${random.below(20)}.jpg?sig=0&v=${random.below(2)}`,
      ]),
  ],
  'with other letters': [1, 'https://x.example/ü/数'],
  padded: [1, '\u00a0https://x.example/p '],
  'scheme in capital letters': [0.7, 'HTTPS://x.example/A'],
  'with U+0000': [0.5, 'https://x.example/\u0000z'],
})

const noUrl = traps<string>('text that is no URL', {
  'another scheme': [1, 'ftp://x.example/a'],
  script: [1, 'javascript:alert(1)'],
  'no scheme': [1, 'www.x.example/a'],
  'white space within': [1, 'https://x.example/a b'],
  words: [1, words],
})

export const urlValue = traps<Json | undefined>('URL value', {
  usable: [6, urlText],
  unusable: [1, noUrl],
  'no text': [2, brokenText],
  number: [0.5, num(5)],
})

const urlList = (draw: Draw): readonly string[] => {
  const made = Array.from({ length: 1 + draw.random.below(3) }, () => urlText(draw).trim())
  return draw.random.chance(0.2) ? [...made, ...made] : made
}

const linkObject = traps<Json>('link object', {
  Url: [3, (draw) => obj({ Name: 'Slides', Url: urlText(draw) })],
  Link: [2, (draw) => obj({ Link: urlText(draw) })],
  Href: [2, (draw) => obj({ href: urlText(draw), Title: 'x' })],
  'Url in capitals': [1, (draw) => obj({ URL: urlText(draw) })],
  'Url blank, Href there': [1, (draw) => obj({ Url: '', Href: urlText(draw) })],
  'not usable': [1, (draw) => obj({ Url: noUrl(draw) })],
})

/** Values that a source may send instead of links, and that are not text. */
const noLinks = traps<Json>('no links', {
  boolean: [1, true],
  number: [1, num(5)],
  'list with a boolean': [1, (draw) => [urlText(draw), false]],
  'list with a list': [1, (draw) => [[urlText(draw)]]],
  'list with null': [1, (draw) => [null, urlText(draw)]],
  'object without address': [1, obj({ Name: 'x' })],
  'one object': [1, linkObject],
  'list with a delimited text': [1, (draw) => [`${urlText(draw).trim()} ${urlText(draw).trim()}`]],
  'broken JSON': [1, '["https://x.example/1"'],
})

export const links = traps<Json | undefined>('Links', {
  absent: [4, undefined],
  null: [4, null],
  empty: [2, '', ' ', []],
  'one URL': [4, urlText],
  'delimited text': [
    4,
    (draw) => urlList(draw).join(draw.random.pick([' ', ',', ';', '|', '\n', '\t', ', ', ' | ', '\r\n'])),
  ],
  'list of texts': [3, urlList],
  'list with one that is no URL': [2, (draw) => [...urlList(draw), noUrl(draw)]],
  'list of objects': [3, (draw) => [linkObject(draw), linkObject(draw)]],
  'JSON list as text': [2, (draw) => render(urlList(draw))],
  'JSON list of objects as text': [1.5, (draw) => ` ${render([linkObject(draw), linkObject(draw)])} `],
  'object with number keys': [1.5, (draw) => numbered([...urlList(draw), linkObject(draw)])],
  'object with number keys as text': [1, (draw) => render(numbered(urlList(draw)))],
  'empty in another form': [1, obj({}), '[]', '{}'],
  'JSON object as text': [1, (draw) => render(linkObject(draw))],
  'text that is no URL': [1, noUrl],
  'no links': [7, noLinks],
  'text before the first URL': [1, (draw) => `slides: ${urlText(draw)}`],
})
