import { editDistance } from '../texts/edit-distance.ts'
import { SHORT_FORMS } from '../texts/short-names.ts'
import { addressKey } from './addresses.ts'

/** The names and the e-mail address of an attendee, either before or after a change. */
export interface Identity {
  readonly firstName: string
  readonly lastName: string
  readonly emailAddress: string
}

/**
 * Returns true if a registration changed hands. The registration changed hands if name and address changed
 * together, and no edit, typo, marriage, transliteration or new employer explains both changes. In doubt the
 * function returns false: the change is an edit, and the attendee keeps the account.
 *
 * The function compares the names first. If the names belong to different people, the addresses must belong
 * to different people too. Addresses belong to the same person in two cases: the local part stayed the same,
 * or one address contains the name from the other side of the change. Source: transforms/RULES.md#r76.
 */
export function isHandover(before: Identity, after: Identity): boolean {
  const [old, now] = [partsOf(before), partsOf(after)]
  if (isPlaceholder(old) || isSameAddress(old, now)) return false
  if (isPlaceholder(now)) return true
  if (isSamePerson(old, now) || hasNameOf(old, now) || hasNameOf(now, old)) return false
  if (old.local === now.local && !ROLES.has(old.local)) return false
  // If only one of two names can be converted to Latin letters, the names cannot be compared.
  if (old.isLatin !== now.isLatin) return false
  if (isSameLastName(old.last, now.last)) return showsOtherFirstName(old, now)
  return !isSameFirstName(old.first, now.first)
}

interface Parts {
  /**
   * Words of the names without titles. The words are in plain Latin letters, if their letters can be
   * converted.
   */
  readonly first: readonly string[]
  readonly last: readonly string[]
  /**
   * Local part of the e-mail address in plain Latin letters. Dots are removed, and everything from a `+` on
   * is removed.
   */
  readonly local: string
  readonly domain: string
  readonly isLatin: boolean
}

function partsOf({ firstName, lastName, emailAddress }: Identity): Parts {
  const address = addressKey(emailAddress)
  const at = address.lastIndexOf('@')
  const local = toLatin(address.slice(0, Math.min(at, MOST_LETTERS)).split('+')[0] ?? '')
  const [first, last] = [wordsOf(firstName), wordsOf(lastName)]
  return {
    first,
    last,
    local: local.replace(/[^\p{L}\p{N}]/gu, ''),
    domain: address.slice(at + 1).slice(0, MOST_LETTERS),
    isLatin: /^[a-z0-9]*$/.test([...first, ...last].join('')),
  }
}

const TITLES = new Set(
  'dr prof mr mrs ms miss mx herr frau ing dipl mag med phd md mba bsc msc jr sr ii iii iv sir madame monsieur sig dott dra don'.split(
    ' ',
  ),
)

const PARTICLES = new Set(
  'de la del los van von der den di da do dos du le al el bin ibn y e und and'.split(' '),
)

/**
 * Maximum number of letters of a name or local part that are compared. Comparing much longer texts would take
 * minutes.
 */
const MOST_LETTERS = 120

function wordsOf(name: string): readonly string[] {
  const words = toLatin(name.slice(0, MOST_LETTERS).replace(/\([^()]*\)|["“”][^"“”]*["“”]/g, ' '))
    .replace(/['’`´]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  const named = words.filter((word) => !TITLES.has(word))
  const without = named.filter((word) => !PARTICLES.has(word))
  return without.length === 0 ? named : without
}

const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
  ə: 'e',
  // Cyrillic
  а: 'a',
  б: 'b',
  в: 'v',
  г: 'g',
  ґ: 'g',
  д: 'd',
  е: 'e',
  ё: 'e',
  є: 'e',
  ж: 'zh',
  з: 'z',
  и: 'i',
  і: 'i',
  ї: 'i',
  й: 'i',
  к: 'k',
  л: 'l',
  м: 'm',
  н: 'n',
  о: 'o',
  п: 'p',
  р: 'r',
  с: 's',
  т: 't',
  у: 'u',
  ў: 'u',
  ф: 'f',
  х: 'kh',
  ц: 'ts',
  ч: 'ch',
  ш: 'sh',
  щ: 'shch',
  ъ: '',
  ы: 'y',
  ь: '',
  э: 'e',
  ю: 'iu',
  я: 'ia',
  ђ: 'd',
  ј: 'j',
  љ: 'lj',
  њ: 'nj',
  ћ: 'c',
  џ: 'dz',
  // Greek
  α: 'a',
  β: 'v',
  γ: 'g',
  δ: 'd',
  ε: 'e',
  ζ: 'z',
  η: 'i',
  θ: 'th',
  ι: 'i',
  κ: 'k',
  λ: 'l',
  μ: 'm',
  ν: 'n',
  ξ: 'x',
  ο: 'o',
  π: 'p',
  ρ: 'r',
  σ: 's',
  ς: 's',
  τ: 't',
  υ: 'y',
  φ: 'f',
  χ: 'ch',
  ψ: 'ps',
  ω: 'o',
}

/**
 * Converts a text to lower case and to plain Latin letters. Letters that cannot be converted to Latin letters
 * stay unchanged.
 */
function toLatin(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[äöü]/g, (letter) => ({ ä: 'a', ö: 'o', ü: 'u' })[letter] ?? '')
  const bare = plain.normalize('NFD').replace(/\p{M}/gu, '')
  return [...bare].map((letter) => LETTERS[letter] ?? letter).join('')
}

/**
 * Returns equal texts for different spellings of the same sound: Mueller and Müller, Meyer and Maier, Stephen
 * and Stefan, Yusuf and Iusuf.
 */
function soundOf(word: string): string {
  return word
    .replace(/ae|oe|ue/g, (pair) => pair.charAt(0))
    .replace(/ph/g, 'f')
    .replace(/sch|sh|tsch|tch|ch/g, 's')
    .replace(/th/g, 't')
    .replace(/x/g, 'ks')
    .replace(/kh|ck|qu|[cq]/g, 'k')
    .replace(/[yj]/g, 'i')
    .replace(/w/g, 'v')
    .replace(/z/g, 's')
    .replace(/h/g, '')
    .replace(/(.)\1+/g, '$1')
    .replace(/ei|ai|ey|ay/g, 'ai')
}

/** Returns true if two words are spellings of one name: the words sound alike, or one of them has a typo. */
function isAlike(one: string, other: string): boolean {
  if (one === other || soundOf(one) === soundOf(other)) return true
  const longest = Math.max(one.length, other.length)
  if (longest < 4) return false
  // Two names with different first letters, such as Hansen and Jansen, are more often two names than one name
  // with a typo.
  if (one.charAt(0) !== other.charAt(0) && longest < 7) return false
  return editDistance(soundOf(one), soundOf(other)) <= (longest >= 8 ? 2 : 1)
}

/**
 * Returns true if two first names may belong to one person. A word of the first name must be similar to a
 * word of the other first name, or be a short form of such a word. An initial alone does not show that two
 * first names belong to one person.
 */
function isSameFirstName(one: readonly string[], other: readonly string[]): boolean {
  return (
    isAlike(one.join(''), other.join('')) ||
    someWords(one, other, (a, b) => isAlike(a, b) || isShortFor(a, b))
  )
}

/**
 * Returns true if two last names may belong to one person. The last names must be similar, or have a word in
 * common, which happens after a marriage.
 */
function isSameLastName(one: readonly string[], other: readonly string[]): boolean {
  return isAlike(one.join(''), other.join('')) || someWords(one, other, isAlike)
}

function someWords(
  one: readonly string[],
  other: readonly string[],
  isOne: (word: string, candidate: string) => boolean,
): boolean {
  return one.some(
    (word) => word.length > 1 && other.some((candidate) => candidate.length > 1 && isOne(word, candidate)),
  )
}

/**
 * Returns true if one name is the beginning, the end or a usual short form of the other name, for example
 * Alex, Lena or Bob.
 */
function isShortFor(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  // Examples of short forms: Alex for Alexander, Lena for Helena, and Gigi for Luigi.
  const isDoubled = short.length === 4 && short.slice(0, 2) === short.slice(2)
  if (short.length >= 3 && (long.startsWith(short) || long.endsWith(isDoubled ? short.slice(1) : short)))
    return true
  const families = SHORT_FORMS.get(one)
  return families !== undefined && !families.isDisjointFrom(SHORT_FORMS.get(other) ?? new Set())
}

/** Returns true if one of two names is only the initial of the other name. */
function isInitialOf(one: readonly string[], other: readonly string[]): boolean {
  const [a = '', b = ''] = [one[0], other[0]]
  return (a.length === 1 && b.startsWith(a)) || (b.length === 1 && a.startsWith(b))
}

/**
 * Returns true if both sides of a change have the same name. First and last name may be swapped, and their
 * words may be divided differently between the two names.
 */
function isSamePerson(old: Parts, now: Parts): boolean {
  const isFirst = isSameFirstName(old.first, now.first) || isInitialOf(old.first, now.first)
  const isLast = isSameLastName(old.last, now.last) || isInitialOf(old.last, now.last)
  if (isFirst && isLast) return true
  if (isSameFirstName(old.first, now.last) && isSameFirstName(old.last, now.first)) return true
  const [one, other] = [old, now].map(({ first, last }) =>
    [...first, ...last].filter((word) => word.length > 1),
  )
  if (one === undefined || other === undefined) return false
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short.length < 2) return isAlike(one.join(''), other.join(''))
  return short.every((word) => long.some((candidate) => isAlike(word, candidate)))
}

function isSameAddress(old: Parts, now: Parts): boolean {
  if (old.local === now.local && old.domain === now.domain) return true
  if (old.local === now.local) return isTypo(old.domain, now.domain)
  if (old.domain !== now.domain || !isTypo(old.local, now.local)) return false
  // The addresses t.weber and s.weber belong to two people, because their first letters differ and are the
  // initials of the people's first names.
  const isInitial = ({ first, local }: Parts) => first.some((word) => local.charAt(0) === word.charAt(0))
  return !(old.local.charAt(0) !== now.local.charAt(0) && isInitial(old) && isInitial(now))
}

function isTypo(one: string, other: string): boolean {
  const longest = Math.max(one.length, other.length)
  return editDistance(one, other) <= (longest >= 10 ? 2 : longest >= 5 ? 1 : 0)
}

/**
 * Returns true if the address on one side contains a name that only the other side has. An address with a
 * name of the other side belongs to the person on the other side. A name that both sides have is no evidence.
 */
function hasNameOf({ local, first, last }: Parts, other: Parts): boolean {
  const own = [...first, ...last]
  const words = [...other.first, ...other.last]
  const foreign = words.filter((word) => word.length >= 4 && !own.some((one) => isAlike(one, word)))
  const whole = [words.join(''), words.toReversed().join('')]
  return foreign.some((word) => has(local, word)) || whole.some((name) => name.length >= 4 && name === local)
}

const ROLES = new Set(
  'info mail office contact kontakt hello hi team admin events event sales marketing registration anmeldung tickets ticket booking bookings hr support service press presse sekretariat reception empfang accounts finance buchhaltung training conference conferences guest guests post'.split(
    ' ',
  ),
)

/**
 * Decides about two sides with the same last name. Returns true if the addresses show two different first
 * names.
 */
function showsOtherFirstName(old: Parts, now: Parts): boolean {
  if (old.first.length === 0 || now.first.length === 0) return false
  const fitsOwn = [old, now].filter((side) => {
    const other = side === old ? now : old
    return hasFirstName(side, side.first) && !hasFirstName(side, other.first)
  }).length
  return fitsOwn === 2 || (fitsOwn === 1 && old.first[0]?.charAt(0) !== now.first[0]?.charAt(0))
}

/**
 * Returns true if an address contains a first name, or if it consists of the first name's initial and the
 * last name.
 */
function hasFirstName({ local, last }: Parts, first: readonly string[]): boolean {
  return first.some(
    (word) =>
      (word.length >= 3 && has(local, word)) ||
      last.some((name) => local === word.charAt(0) + name || local === name + word.charAt(0)),
  )
}

const PLACEHOLDERS = new Set(
  'tbd tba tbc na nn unknown unbekannt guest gast invite invitado ospite delegate attendee participant teilnehmer teilnehmerin visitor besucher speaker referent test tester dummy placeholder platzhalter ticket anonymous anonym name vorname nachname first last firstname lastname xxx xx reserved reserviert reserve plus one two begleitung begleitperson companion partner staff team employee mitarbeiter colleague kollege person someone somebody noname none null pending open offen user seat platz registration to be announced confirmed'.split(
    ' ',
  ),
)

/**
 * Words that occur in names of companies and departments; a name with such a word is not the name of a
 * person.
 */
const OF_COMPANIES = new Set('gmbh inc ltd llc corp plc sarl team department abteilung office'.split(' '))

/**
 * Returns true if a name is a placeholder and not the name of a person, for example `TBD`, `Guest 2`, `N. N.`
 * or `Sales Team`.
 */
function isPlaceholder({ first, last }: Parts): boolean {
  const words = [...first, ...last]
  if (words.some((word) => OF_COMPANIES.has(word))) return true
  return words.every(
    (word) => PLACEHOLDERS.has(word) || /\d/.test(word) || (word.length === 1 && words.length > 1),
  )
}

function has(text: string, word: string): boolean {
  return text.split(word).length > 1
}
