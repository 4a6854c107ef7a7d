import { type Json, num, obj, render } from '../../../harness/json.ts'
import { textReply } from '../../../harness/reply.ts'
import { answerA, orderedOfA, pageOf, skipOf, sliceOfA } from '../../../harness/source-answers.ts'
import {
  type Asked,
  type Fault,
  fatal,
  fault,
  heldOfA,
  moving,
  PAGE_CAP,
  type Play,
  pageOfA,
  pageOfB,
} from '../fault.ts'

const MOVED = { fromPage: 2, says: /the source changed during each of 3 readings/ } as const
const WHOLE = { isOfAllPages: true }

function linksTo(address: (asked: Asked) => string): Play {
  return (_, asked) => {
    const value = render(sliceOfA(asked.url, asked.list, PAGE_CAP))
    return textReply(`{"value":${value},"@odata.nextLink":${JSON.stringify(address(asked))}}`)
  }
}

const outside: Readonly<Record<string, (asked: Asked) => string>> = {
  'another host and path': ({ outside, url }) => `${outside}/elsewhere${url.pathname}?$skip=3`,
  'another resource': ({ url }) => new URL('Elsewhere?$skip=3', url).href,
  'above source.url': ({ url }) => `${url.origin}/elsewhere?$skip=3`,
  'a file': () => 'file:///etc/passwd',
  'no address': () => 'http://[',
}

/**
 * Answers with a link to the next page; the link leads to another host, or spells the address differently.
 */
function linksAt(address: (asked: Asked) => string): Play {
  return (_, asked) => {
    const rows = sliceOfA(asked.url, asked.list, PAGE_CAP)
    const next = skipOf(asked.url) + rows.length
    const link = JSON.stringify(`${address(asked)}?$skip=${next}`)
    const more = next < asked.list.length ? `,"@odata.nextLink":${link}` : ''
    return textReply(`{"value":${render(rows)}${more}}`)
  }
}

const otherSpellings: Readonly<Record<string, (asked: Asked) => string>> = {
  'another host': ({ outside, url }) => `${outside}${url.pathname}`,
  'another scheme': ({ url }) => `https://${url.hostname}${url.pathname}`,
  'another case': ({ url }) => url.pathname.toUpperCase(),
}

/** Members next to a list by which the source says that the list is incomplete. */
const besideLists: Readonly<Record<string, (list: readonly Json[]) => string>> = {
  '@odata.count': (list) => `,"@odata.count":${list.length + 2}`,
  'a count as text': (list) => `,"count":"${list.length + 1}"`,
  hasMore: () => `,"hasMore":true`,
  'a token of the next page': () => `,"nextPageToken":"x"`,
}
const SAYS_MORE = {
  ...WHOLE,
  says: /the source declares \d+ records, but gave \d+|there are more records/,
} as const
const SAYS_FAILED = {
  kind: 'errors beside the list',
  says: /the answer says that it failed: it has "errors" beside its list/,
}
const TOP_REFUSED = { kind: 'A: large pages are refused with 400' }
/** Answers with status 400 if the request wants more than `most` records on a page. */
const refusingAbove =
  (most: number): Play =>
  (honest, { url }) =>
    Number(url.searchParams.get('$top') ?? 0) > most ? textReply('{"error":"$top"}', 400) : honest

const ENDLESS = {
  ...WHOLE,
  kind: 'pages without an end',
  says: /more records than http\.maxRecords \(5000\)/,
}

/** Returns a thousand new records, whose ids are the numbers from `first` on. */
function recordsFrom(first: number, key: 'Id' | 'id'): readonly Json[] {
  return Array.from({ length: 1000 }, (_, index) => obj({ [key]: num(first + index) }))
}

/**
 * Returns the list from before two changes: the record at position `from` was removed, and a record was added
 * at the end. By these changes, the first record of each later page moves to the page before.
 */
function beforeDrift(list: readonly Json[], from: number, gone: Json | undefined): readonly Json[] {
  return [...list.slice(0, from), ...(gone === undefined ? [] : [gone]), ...list.slice(from, -1)]
}

function backwards(list: readonly Json[], from: number): readonly Json[] {
  return list.toSpliced(from, PAGE_CAP, ...list.slice(from, from + PAGE_CAP).toReversed())
}

/**
 * Faults in the pages of Source A. Two pages must have one record in common; otherwise records moved, and the
 * resource is read again. Source: transforms/RULES.md#r9.
 */
export const pagingFaultsOfA: readonly Fault[] = [
  ...moving('A: the page before comes again', { ...MOVED, kind: 'A: a page comes again' }, (_, asked) =>
    pageOfA(asked, Math.max(0, skipOf(asked.url) - PAGE_CAP + 1)),
  ),
  ...moving('A: a page lacks its overlap', MOVED, (_, asked) => pageOfA(asked, skipOf(asked.url) + 1)),
  ...moving(
    'A: an empty page in the middle',
    { ...MOVED, says: /the source changed during each of 3 readings: the last element read is gone/ },
    () => textReply('[]'),
  ),
  // A request with a very large $skip is answered correctly, so the reader can find out that the source
  // respects $skip.
  ...moving('A: the first page comes again', { ...MOVED, kind: 'A: a page comes again' }, (honest, asked) =>
    skipOf(asked.url) > 1000 ? honest : pageOfA(asked, 0),
  ),
  ...moving('A: a record moves to another page', { says: MOVED.says }, (_, asked) =>
    pageOfA({ ...asked, list: beforeDrift(asked.list, skipOf(asked.url), asked.list.at(-1)) }),
  ),
  ...moving('A: a page in another order', { says: MOVED.says }, (_, asked) =>
    pageOfA({ ...asked, list: backwards(asked.list, skipOf(asked.url)) }),
  ),
  fault('A: $skip is ignored', 'always', 'recovered', WHOLE, (_, { url, list }) =>
    textReply(render(orderedOfA(url, list))),
  ),
  fault(
    'A: $skip and $orderby are ignored',
    'always',
    'uncertified',
    { ...WHOLE, says: /the source ignores \$skip, .* and it ignores \$orderby too/ },
    (_, { list }) => textReply(render(list)),
  ),
  fault(
    'A: pages shorter than the first',
    'always',
    'recovered',
    { kind: 'A: pages of another size', fromPage: 2 },
    (_, asked) => pageOfA(asked, undefined, PAGE_CAP - 1),
  ),
  fault(
    'A: one page longer than the first',
    'once',
    'recovered',
    { kind: 'A: pages of another size' },
    (_, asked) => pageOfA(asked, undefined, PAGE_CAP + 2),
  ),
  // The links to the next page are correct, up to the last page.
  fault('A: next links to the end', 'always', 'recovered', {}, (_, { url, list }) =>
    textReply(answerA(url, '', heldOfA(list, { paging: 'next', wrapped: true, nextKey: 'odata.nextLink' }))),
  ),
  fault(
    'A: next links in a circle',
    'always',
    'failed',
    { says: /the next link leads to a page that was read before/ },
    linksTo(({ url }) => url.href),
  ),
  fault('A: pages without an end', 'always', 'failed', ENDLESS, (_, { url }) =>
    textReply(render(recordsFrom(skipOf(url), 'Id'))),
  ),
  fault(
    'A: next links to one empty page after the other',
    'always',
    'failed',
    { ...WHOLE, says: /next links led to more than 100 pages without a record/ },
    (_, { url }) => textReply(`{"value":[],"@odata.nextLink":"?$skiptoken=${skipOf(url) + 1}"}`),
  ),
  ...Object.entries(outside).map(([name, address]) =>
    fatal(
      `A: a next link to ${name}`,
      {
        kind: 'A: a next link outside',
        says: /the next link leads to another resource or another host/,
      },
      linksTo(address),
    ),
  ),
  ...Object.entries(otherSpellings).map(([name, address]) =>
    fault(
      `A: next links to ${name}`,
      'always',
      'recovered',
      { ...WHOLE, kind: 'A: next links at another address' },
      linksAt(address),
    ),
  ),
  fatal('A: errors beside the list', SAYS_FAILED, (_, asked) =>
    textReply(`{"value":${render(sliceOfA(asked.url, asked.list, PAGE_CAP))},"errors":[{"code":1}]}`),
  ),
  ...Object.entries(besideLists).map(([name, beside]) =>
    fault(
      `A: ${name} says that there is more`,
      'always',
      'uncertified',
      { ...SAYS_MORE, kind: 'A: it says that there is more' },
      (_, asked) =>
        textReply(`{"value":${render(sliceOfA(asked.url, asked.list, PAGE_CAP))}${beside(asked.list)}}`),
    ),
  ),
  ...['X-Total-Count', 'X-WP-Total', 'Link'].map((header) =>
    fault(
      `A: the header ${header} says that there is more`,
      'always',
      'uncertified',
      { ...SAYS_MORE, kind: 'A: it says that there is more' },
      (honest, { list }) => ({
        ...honest,
        headers: {
          ...honest.headers,
          [header]: header === 'Link' ? '<x>; rel="next"' : String(list.length + 1),
        },
      }),
    ),
  ),
  ...[500, 100, 50].map((most) =>
    fault(
      `A: more than ${most} records a page are refused`,
      'always',
      'recovered',
      TOP_REFUSED,
      refusingAbove(most),
    ),
  ),
  fault(
    'A: any number of records a page is refused',
    'always',
    'failed',
    { ...TOP_REFUSED, says: /answered 400: .*smaller pages were refused too/ },
    refusingAbove(0),
  ),
].map((row) => ({ ...row, sources: ['a'] }))

const TOTAL = { ...MOVED, kind: 'B: the total changes or goes away' }
const NEVER_MET = { says: MOVED.says, kind: 'B: the total is never met' }
const SPELLING = { kind: 'B: another spelling' }

const DRIFT = { kind: 'B: the source drifts, and the total stays' }
const OTHER_ORDER = { kind: 'B: pages in another order' }

const firstOf = ({ url }: Asked) => (pageOf(url) - 1) * PAGE_CAP
const isBeyond = (asked: Asked) => firstOf(asked) >= asked.list.length
const tooMany = ({ list }: Asked) => num(list.length + PAGE_CAP + 1)

/**
 * Faults in the pages of Source B. A read ends when it has as many records as the declared total, which must
 * be the same on every page. Source: transforms/RULES.md#r14.
 */
export const pagingFaultsOfB: readonly Fault[] = [
  ...moving('B: the total changes', TOTAL, (_, asked) =>
    pageOfB(asked, { totalCount: num(asked.list.length + 1 + asked.plays) }),
  ),
  ...moving('B: the total goes away', TOTAL, (_, asked) => pageOfB(asked, { totalCount: null })),
  ...moving('B: the page before comes again, and says so', MOVED, (_, asked) =>
    pageOfB(asked, { page: pageOf(asked.url) - 1 }),
  ),
  ...moving('B: an empty page in the middle', MOVED, (_, asked) =>
    pageOfB(asked, { items: [], currentPage: pageOf(asked.url) }),
  ),
  fault('B: pages without an end', 'always', 'failed', ENDLESS, (_, { url }) =>
    textReply(`{"items":${render(recordsFrom(1000 * pageOf(url), 'id'))}}`),
  ),
  ...moving('B: the page before comes again under its own number', MOVED, (_, asked) =>
    pageOfB(asked, { page: pageOf(asked.url) - 1, currentPage: pageOf(asked.url) }),
  ),
  fault(
    'B: the total is never met, and the pages beyond are empty',
    'always',
    'uncertified',
    NEVER_MET,
    (_, asked) => {
      const beyond = isBeyond(asked) ? { items: [], currentPage: pageOf(asked.url) } : {}
      return pageOfB(asked, { ...beyond, totalCount: tooMany(asked) })
    },
  ),
  fault(
    'B: the total is never met, and past the end the last page comes again',
    'always',
    'uncertified',
    NEVER_MET,
    (_, asked) => pageOfB(asked, { totalCount: tooMany(asked) }),
  ),
  // The declared total is one less than the number of records on the first two pages, so that the third page
  // is not requested.
  fault('B: fewer are declared than come', 'always', 'uncertified', { says: MOVED.says }, (_, asked) =>
    pageOfB(asked, { totalCount: num(Math.min(asked.list.length, 2 * PAGE_CAP) - 1), pageCount: null }),
  ),
  // The reading ends after page 1 and is considered complete, but it misses the other pages.
  fault(
    'B: no more are declared than page 1 has',
    'once',
    'late',
    { ...WHOLE, kind: 'B: fewer are declared than come' },
    (_, asked) => pageOfB(asked, { totalCount: num(PAGE_CAP), pageCount: null }),
  ),
  fault('B: a record moves to another page', 'once', 'late', DRIFT, (_, asked) =>
    pageOfB({ ...asked, list: beforeDrift(asked.list, firstOf(asked), asked.list.at(-1)) }),
  ),
  fault('B: a record goes and another comes between two pages', 'once', 'late', DRIFT, (_, asked) =>
    pageOfB({ ...asked, list: beforeDrift(asked.list, firstOf(asked), obj({ id: num(909) })) }),
  ),
  fault('B: the records of a page in another order', 'always', 'recovered', OTHER_ORDER, (_, asked) =>
    pageOfB({ ...asked, list: backwards(asked.list, firstOf(asked)) }),
  ),
  fault(
    'B: the first two pages each in place of the other',
    'always',
    'recovered',
    { ...WHOLE, ...OTHER_ORDER },
    (_, asked) => {
      const [one, two] = [asked.list.slice(0, PAGE_CAP), asked.list.slice(PAGE_CAP, 2 * PAGE_CAP)]
      if (two.length < PAGE_CAP) return pageOfB(asked)
      return pageOfB({ ...asked, list: [...two, ...one, ...asked.list.slice(2 * PAGE_CAP)] })
    },
  ),
  ...['{"code":1}', '["x"]'].map((errors) =>
    fatal(`B: errors beside the list, ${errors}`, SAYS_FAILED, (_, asked) =>
      pageOfB(asked, { beside: `,"errors":${errors}` }),
    ),
  ),
  ...Object.entries(besideLists).map(([name, beside]) =>
    fault(
      `B: ${name} says that there is more`,
      'always',
      'uncertified',
      { ...SAYS_MORE, kind: 'B: it says that there is more' },
      (_, asked) => pageOfB(asked, { beside: beside(asked.list) }),
    ),
  ),
  fault(
    'B: the number of pages leads beyond the total',
    'always',
    'recovered',
    { ...WHOLE, kind: 'B: pages beyond the total' },
    (_, asked) => pageOfB(asked, { totalCount: num(PAGE_CAP) }),
  ),
  fault(
    'B: links lead beyond the total',
    'always',
    'uncertified',
    { ...WHOLE, kind: 'B: pages beyond the total', says: /but its links led to \d+/ },
    (_, asked) => {
      const next = pageOf(asked.url) + 1
      const isLast = next > Math.ceil(asked.list.length / PAGE_CAP)
      const beside = isLast ? '' : `,"pagination":{"next":{"href":"${asked.url.pathname}?page=${next}"}}`
      return pageOfB(asked, { totalCount: num(PAGE_CAP), pageCount: null, beside })
    },
  ),
  fault(
    'B: bare arrays in one order',
    'always',
    'uncertified',
    { ...WHOLE, kind: 'B: bare arrays', says: /ignores sort too/ },
    (_, asked) => textReply(render(asked.list)),
  ),
  fault(
    'B: bare arrays in the order that is asked for',
    'always',
    'recovered',
    { ...WHOLE, kind: 'B: bare arrays' },
    (_, asked) => pageOfB(asked, {}, { itemsAs: 'bare' }),
  ),
  fault(
    'B: bare arrays, page by page, with the total in a header',
    'always',
    'recovered',
    { ...WHOLE, kind: 'B: bare arrays' },
    (_, asked) => ({
      ...textReply(render(asked.list.slice(firstOf(asked), firstOf(asked) + PAGE_CAP))),
      headers: { 'Content-Type': 'application/json', 'X-Pagination-Total-Count': String(asked.list.length) },
    }),
  ),
  fault('B: items keyed by id', 'always', 'recovered', SPELLING, (_, asked) =>
    pageOfB(asked, {}, { itemsAs: 'object' }),
  ),
  fault('B: the total as text', 'always', 'recovered', SPELLING, (_, asked) =>
    pageOfB(asked, { totalCount: String(asked.list.length) }),
  ),
].map((row) => ({ ...row, sources: ['b'] }))
