import { describe, expect, test } from 'vitest'
import { readLinks, readSocialUrl, readTwitter, readUrl } from '../../../transforms/rules/urls.ts'
import type { Json, Warning } from '../../../transforms/rules/values.ts'

type Case = [name: string, value: Json | undefined, url: string | null, warning: Warning | null]

describe('a URL [R59]', () => {
  test.each<Case>([
    ['https is accepted', 'https://a.example/x?y=1#z', 'https://a.example/x?y=1#z', null],
    ['http is accepted', 'http://a.example', 'http://a.example', null],
    ['the scheme may be in any case', 'HTTPS://A.example', 'HTTPS://A.example', null],
    ['it is trimmed', ' https://a.example\n', 'https://a.example', null],
    ['null is absent', null, null, null],
    ['a blank inside is refused', 'https://a.example/a b', null, 'left_out'],
    ['a script is refused', 'javascript:alert(1)//http://a.example', null, 'left_out'],
    ['no scheme is refused', 'a.example/x.png', null, 'left_out'],
    ['a single slash is refused', 'https:/a.example', null, 'left_out'],
    ['a scheme alone is refused', 'https://', null, 'left_out'],
    ['a boolean is not a text', true, null, 'not_text'],
    ['a cleaned URL is marked', 'https://a.example/\0x', 'https://a.example/x', 'unsupported_character'],
    ['a cleaned text that is no URL is left out', 'x\0', null, 'left_out'],
  ])('%s', (_, value, url, warning) => {
    expect(readUrl(value)).toEqual({ value: url, warning })
  })
})

describe('links [R27, R59]', () => {
  const a = 'https://a.example/1'
  const b = 'http://b.example/2'

  test.each<[name: string, value: Json | undefined, links: readonly string[], warnings: readonly Warning[]]>([
    ['null is not a link', null, [], []],
    ['an empty list has no links', [], [], []],
    ['a list of texts', [b, a], [b, a], []],
    [
      'a list of objects with Url, Link or Href',
      [{ Url: a }, { Link: b }, { Href: `${a}/h` }],
      [a, b, `${a}/h`],
      [],
    ],
    ['the keys in any case', [{ URL: a }, { link: b }, { hREF: `${a}/h` }], [a, b, `${a}/h`], []],
    [
      'Url comes before Link, Link before Href',
      [
        { Href: `${a}/h`, Link: b, Url: a },
        { Href: a, Link: b },
      ],
      [a, b],
      [],
    ],
    ['a blank Url gives way to Link', [{ Url: '', Link: b }], [b], []],
    ['a text that is a JSON list', ` ["${a}", {"href": "${b}"}] `, [a, b], []],
    ['a text that is a JSON object', `{"Link":"${a}"}`, [a], []],
    ['a single URL', a, [a], []],
    ['URLs parted by commas', `${a},${b}`, [a, b], []],
    ['URLs parted by semicolons and blanks', `${a}; ${b}`, [a, b], []],
    ['URLs parted by line breaks', `${a}\r\n${b}`, [a, b], []],
    [
      'a URL after a delimiter may have its scheme in capitals',
      `${a} HTTP://b.example`,
      [a, 'HTTP://b.example'],
      [],
    ],
    [
      'a delimiter within a URL is part of it',
      'https://a.example/x,y;z|w',
      ['https://a.example/x,y;z|w'],
      [],
    ],
    [
      'a URL within a URL is part of it [R59]',
      `https://a.example/?to=${b}`,
      [`https://a.example/?to=${b}`],
      [],
    ],
    ['a delimiter in front of the first URL is no piece', `;${a}`, [a], []],
    ['a list element is one URL, not split', [`${a} ${b}`, b], [b], ['left_out']],
    ['repeats are dropped, the first place is kept', [b, a, b], [b, a], []],
    ['null and blank elements are passed over', [null, '', a], [a], []],
    ['words around a URL are left out', `Slides: ${a} and ${b}`, [b], ['left_out']],
    ['a text without URL is left out', 'see the website', [], ['left_out']],
    ['an object with number keys is a list', { 2: b, 0: { Url: a } }, [a, b], []],
    ['an object with number keys as JSON in a text is a list', `{"2":"${b}","0":"${a}"}`, [a, b], []],
    ['an empty object is an empty list', {}, [], []],
    ['an empty object as text is an empty list', ' {} ', [], []],
    ['an object with other keys as well is one link', { 0: b, Url: a }, [a], []],
    ['broken JSON is no list', `["${a}"`, [], ['left_out']],
    ['a JSON text in a text is no list', `"${a}"`, [], ['left_out']],
    ['an object without URL is left out', [{ Title: 'Slides' }], [], ['left_out']],
    ['a nested list is left out', [[a]], [], ['left_out']],
    ['a boolean is left out', true, [], ['left_out']],
    ['a cleaned link is marked', ['https://a.example/\0'], ['https://a.example/'], ['unsupported_character']],
    [
      'a lone surrogate that JSON escapes is replaced and marked',
      '["https://a.example/\\ud800"]',
      ['https://a.example/\ufffd'],
      ['unsupported_character'],
    ],
  ])('%s', (_, value, links, warnings) => {
    expect(readLinks(value)).toEqual({ value: links, warnings })
  })

  test('a long run of delimiters in a text with links is left out', () => {
    expect(readLinks(`x${' '.repeat(100_000)}y`)).toEqual({ value: [], warnings: ['left_out'] })
  })
})

describe('a Facebook page [R26, R60]', () => {
  test.each<Case>([
    ['a URL stays as it is', 'http://facebook.com/ada?x=1', 'http://facebook.com/ada?x=1', null],
    ['the bare site with a path gets https', 'facebook.com/ada', 'https://facebook.com/ada', null],
    ['a subdomain gets https', 'de-de.m.facebook.com/ada', 'https://de-de.m.facebook.com/ada', null],
    ['the host may be in any case', 'WWW.Facebook.com/Ada', 'https://WWW.Facebook.com/Ada', null],
    ['a handle becomes a URL', 'ada.lovelace-1_', 'https://www.facebook.com/ada.lovelace-1_', null],
    [
      'a host without a path is a handle by its form',
      'facebook.com',
      'https://www.facebook.com/facebook.com',
      null,
    ],
    ['null is absent', null, null, null],
    ['a host that only ends like the site is left out', 'notfacebook.com/ada', null, 'left_out'],
    ['another site is left out', 'linkedin.com/in/ada', null, 'left_out'],
    ['the site with nothing after the slash is left out [R60]', 'facebook.com/', null, 'left_out'],
    ['a name of two words is left out', 'Ada Lovelace', null, 'left_out'],
    ['a letter beyond ASCII is left out', 'adaé', null, 'left_out'],
    ['white space after a host is left out', 'facebook.com/a b', null, 'left_out'],
    ['a cleaned handle is marked', 'a\0da', 'https://www.facebook.com/ada', 'unsupported_character'],
  ])('%s', (_, value, url, warning) => {
    expect(readSocialUrl(value, 'facebook')).toEqual({ value: url, warning })
  })
})

describe('a LinkedIn page [R26, R60]', () => {
  test.each<Case>([
    ['a subdomain gets https', 'au.linkedin.com/in/ada', 'https://au.linkedin.com/in/ada', null],
    ['a handle becomes the URL of a person [spec 2.3 p2]', 'ada', 'https://www.linkedin.com/in/ada', null],
    ['another site is left out', 'facebook.com/ada', null, 'left_out'],
  ])('%s', (_, value, url, warning) => {
    expect(readSocialUrl(value, 'linkedin')).toEqual({ value: url, warning })
  })
})

describe('a Twitter handle [R20, R35, R61]', () => {
  test.each<Case>([
    ['a handle stays', 'ada', 'ada', null],
    ['the @ in front is dropped', '@ada', 'ada', null],
    ['every @ in front is dropped', '@@ @ada@b', 'ada@b', null],
    ['every @ in front of the last segment is dropped', 'https://twitter.com/@@ada', 'ada', null],
    ['the last path segment of a URL is the handle', 'https://twitter.com/ada', 'ada', null],
    ['a slash at the end is not a segment', 'https://twitter.com/i/ada//', 'ada', null],
    ['the query of a URL is ignored', 'https://twitter.com/ada?lang=en/x', 'ada', null],
    ['a host without a scheme is not a URL', 'twitter.com/ada', 'twitter.com/ada', null],
    ['a number is a handle', 1815, '1815', null],
    ['null is absent', null, null, null],
    ['a blank text is absent', ' ', null, null],
    ['an @ alone leaves nothing', '@', null, 'left_out'],
    ['a URL without path leaves nothing', 'https://twitter.com', null, 'left_out'],
    ['a URL with an @ only leaves nothing', 'https://twitter.com/@', null, 'left_out'],
    ['a cleaned handle is marked', '@a\0da', 'ada', 'unsupported_character'],
  ])('%s', (_, value, handle, warning) => {
    expect(readTwitter(value)).toEqual({ value: handle, warning })
  })
})
