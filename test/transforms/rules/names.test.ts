import { expect, test } from 'vitest'
import { wordsIn } from '../../../transforms/rules/names.ts'

test.each<[what: string, text: string, words: readonly string[]]>([
  ['case and order of words', 'Lovelace ADA', ['lovelace', 'ada']],
  ['blanks and line breaks', '  Ada \t\n Lovelace ', ['ada', 'lovelace']],
  ['repeated words', 'Ada Ada', ['ada']],
  ['accents in either form', 'Zoë Zoe\u0308 Ångström', ['zoe', 'angstrom']],
  ['a capital I with a dot', 'İpek', ['ipek']],
  ['letters that are no accented ones', 'Łukasz Øre Straße', ['łukasz', 'øre', 'straße']],
  [
    'punctuation around words',
    '"Welcome": (the opening), part 1!',
    ['welcome', 'the', 'opening', 'part', '1'],
  ],
  ['names with a hyphen', 'Anne-Marie Anne\u2010Marie', ['anne-marie']],
  ['names with an apostrophe', 'O\u2019Brien O\u02bcBrien O\u2018Brien', ["o'brien"]],
  ['other scripts with marks that belong to a letter', 'राम रामा 山田 太郎', ['राम', 'रामा', '山田', '太郎']],
  ['a text without letters', ' – … ', []],
])('the words of a name are found in spite of %s', (_, text, words) => {
  expect([...wordsIn(text)]).toEqual(words.map((word) => word.normalize('NFD')))
})
