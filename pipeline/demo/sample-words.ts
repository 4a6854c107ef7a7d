import type { Random } from './sample-random.ts'

/** The zone of the invented event, the Tidewater Cities Forum: most of it in March 2031. */
export const sampleTimeZone = 'America/New_York'

/** Names hold what CSV files and spreadsheets trip over: `;`, `\`, `=`, quotes, other scripts. */
export const rooms = [
  { id: 301, name: 'Harbour Hall', location: 'Level 1' },
  { id: 302, name: 'Salle Étoile', location: 'Niveau 2' },
  { id: 303, name: '会議室 301', location: '3F' },
  { id: 304, name: 'Зал «Нева»', location: 'Этаж 2' },
  { id: 305, name: 'Auditorium', location: null },
  { id: 306, name: 'Pier 9', location: 'Pier 9' },
  { id: 307, name: 'Dock; Slip 4', location: 'Waterfront \\ East' },
  { id: 308, name: '"The Cabin"', location: '' },
  { id: 309, name: 'Studio, small', location: 'Level 1' },
  { id: 310, name: 'قاعة البحر', location: 'Level 2' },
] as const

export const tracks = [
  { id: 201, title: 'Water & Energy' },
  { id: 202, title: 'Mobility' },
  { id: 203, title: 'Open Data' },
  { id: 204, title: 'Security; Privacy' },
  { id: 205, title: 'Maps \\ Models' },
  { id: 206, title: '=Beyond SUM(A1:A9)' },
  { id: 207, title: 'Wohnen & Nachbarschaft' },
  { id: 208, title: '都市の記憶' },
] as const

/** `Name` where others have `Title`, and the spellings of the type that is no part of the integration. */
export const sessionTypes = [
  { id: 101, title: 'Talk', key: 'Title', isOrdinary: true },
  { id: 102, title: 'Panel', key: 'Title', isOrdinary: true },
  { id: 103, title: 'Workshop', key: 'Title', isOrdinary: true },
  { id: 104, title: 'Lightning Talk', key: 'Name', isOrdinary: true },
  { id: 105, title: 'Tour; guided', key: 'Name', isOrdinary: true },
  { id: 111, title: '1:1 Meeting', key: 'Title', isOrdinary: false },
  { id: 112, title: '1:1 meetings', key: 'Name', isOrdinary: false },
  { id: 113, title: 'One-to-one meeting', key: 'Title', isOrdinary: false },
] as const

/** One period of the programme, in the event's own time; New York is four hours behind UTC in those days. */
export interface Slot {
  readonly id: number
  readonly date: string
  readonly start: string
  readonly end: string
}
export const slotOffset = '-04:00'

const periods = [
  ['09:00:00', '09:45:00'],
  ['10:00:00', '10:45:00'],
  ['11:15:00', '12:00:00'],
  ['13:00:00', '13:45:00'],
  ['14:00:00', '15:00:00'],
  ['15:15:00', '16:00:00'],
  ['16:15:00', '17:00:00'],
  ['17:15:00', '18:45:00'],
] as const

export const slots: readonly Slot[] = ['2031-03-10', '2031-03-11', '2031-03-12', '2031-03-13'].flatMap(
  (date, day) => periods.map(([start, end], period) => ({ id: 401 + day * 8 + period, date, start, end })),
)

const subjects = [
  'tide tables',
  'night buses',
  'open registers',
  'flood maps',
  'the kerb',
  'district heat',
  'street trees',
  'public tenders',
  'ferry timetables',
  'step-free routes',
  'quiet streets',
  'town archives',
  'storm drains',
  'shared data contracts',
  'digital twins',
  'public toilets',
  'bridge sensors',
  'school runs',
  'small grids',
  'address data',
  'paper maps',
  'civic chatbots',
  'harbour noise',
  'cargo bikes',
] as const
const patterns = [
  (subject: string) => `Lessons from ten years of ${subject}`,
  (subject: string) => `Who owns ${subject}? A panel`,
  (subject: string) => `Workshop: ${subject} from scratch`,
  (subject: string) => `${subject[0]?.toUpperCase()}${subject.slice(1)}, and what we would do differently`,
  (subject: string) => `“It worked in the pilot”: scaling ${subject}`,
  (subject: string) => `Budgeting for ${subject} in 2031`,
  (subject: string) => `Cómo cuidar de ${subject} (en español)`,
  (subject: string) => `${subject}についての十の質問`,
  (subject: string) => `Ten questions on ${subject} 🌊`,
  (subject: string) => `Schneller als die Flut – ${subject} in der Praxis`,
] as const

/** Titles that do not repeat; beyond the words' combinations they are numbered. */
export function inventTitles(random: Random, count: number): readonly string[] {
  const start = random.below(subjects.length)
  const round = subjects.length * patterns.length
  return Array.from({ length: count }, (_, index) => {
    const subject = subjects[(start + index) % subjects.length] ?? ''
    const pattern = patterns[(index + 3 * Math.floor(index / subjects.length)) % patterns.length]
    // A lap of 24 subjects and three more are 27 steps, which have no factor in common with 10 patterns: every
    // pair comes up once.
    const title = pattern?.(subject) ?? subject
    return index < round ? title : `${title} (${Math.floor(index / round) + 1})`
  })
}

/** Every other description is HTML, as editors in both systems write it. */
export function inventDescription(random: Random): string {
  const one = random.pick(subjects)
  const two = random.pick(subjects.filter((subject) => subject !== one))
  const plain = random.pick([
    `What ${one} and ${two} have in common, and why it took three budgets to find out.`,
    `Bring a laptop. We start with ${one}; by the end of the hour you will have met ${two}.`,
    `A frank look at ${one}.\r\n\r\nSpeakers from four cities, one moderator, no slides.`,
    `„${one}“ is where it began – then came ${two}, the press & a court case <of sorts>.`,
  ])
  if (!random.chance(0.5)) return plain
  return `<p>${plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p><ul><li>${one}</li><li>${two}</li></ul>`
}
