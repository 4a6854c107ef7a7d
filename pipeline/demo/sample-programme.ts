/** An invented event, the Tidewater Cities Forum. */
export const sampleTimeZone = 'America/New_York'

/** Names have what files and spreadsheets fail on: quotes, `;`, `=`, other scripts. */
export const rooms = [
  { id: 301, name: 'Harbour Hall', location: 'Level 1' },
  { id: 302, name: 'Salle Étoile', location: 'Niveau 2' },
  { id: 303, name: '会議室 301', location: '3F' },
  { id: 304, name: '"The Cabin"; Pier 9', location: '' },
] as const

export const tracks = [
  { id: 201, title: 'Water & Energy' },
  { id: 202, title: 'Security; Privacy' },
  { id: 203, title: '=Beyond SUM(A1:A9)' },
] as const

export const sessionTypes = [
  { id: 101, title: 'Talk' },
  { id: 102, title: 'Workshop' },
  { id: 103, title: '1:1 Meeting' },
] as const

/** New York is four hours behind UTC in those days. */
export const slots = [
  { id: 401, date: '2031-03-10', start: '09:00:00', end: '09:45:00' },
  { id: 402, date: '2031-03-10', start: '10:00:00', end: '10:45:00' },
  { id: 403, date: '2031-03-10', start: '14:00:00', end: '15:00:00' },
  { id: 404, date: '2031-03-11', start: '09:00:00', end: '10:30:00' },
  { id: 405, date: '2031-03-11', start: '13:00:00', end: '13:45:00' },
  // Ends as it starts, by mistake: its sessions are left out.
  { id: 406, date: '2031-03-11', start: '16:00:00', end: '16:00:00' },
] as const

export interface PlannedSession {
  readonly id: number
  readonly title: string
  readonly trackId: number
  readonly typeId: number
  readonly roomId: number
  readonly slotId: number
  /** ids of people, in the order of the programme */
  readonly speakers: readonly number[]
}

/** In columns: track, type, room, time slot, who speaks. */
export const sessions: readonly PlannedSession[] = [
  session(5001, 'Who owns flood maps? A panel', [201, 101, 301, 401], [7001, 7002, 7003]),
  session(5002, 'Lessons from ten years of night buses', [202, 101, 302, 401], [7002]),
  session(5003, 'Workshop: tide tables from scratch', [201, 102, 303, 402], [7004]),
  session(5004, '港湾データについての十の質問', [203, 101, 303, 403], [7005, 7001]),
  session(5005, 'Schneller als die Flut – Pegel in der Praxis', [201, 101, 301, 402], [7003]),
  session(5006, 'Cómo cuidar de los árboles (en español)', [203, 101, 302, 403], [7006]),
  session(5007, '“It worked in the pilot”: scaling bridge sensors', [202, 102, 304, 404], [7007, 7004]),
  session(5008, 'Budgeting for storm drains in 2031', [201, 101, 301, 404], [7001]),
  session(5009, 'Ten questions on paper maps 🌊', [203, 101, 304, 405], [7008]),
  session(5010, 'Quiet streets, and what we would do differently', [202, 101, 302, 405], [7005, 7008]),
  session(5011, 'Meet the harbour master', [202, 103, 304, 402], [7001]),
  session(5012, 'Closing words', [203, 101, 301, 406], [7002]),
]

export const speakerCount = 8

/** The speakers first, then those who only attend; ids count from 7001. */
export const people = [
  { firstName: 'Amelia', lastName: 'Ashgrove', company: 'Tidemark Analytics', jobTitle: 'Harbour Master' },
  { firstName: 'Søren', lastName: 'Brøgger', company: 'Møller & Søn A/S', jobTitle: 'Urban Planner' },
  { firstName: 'Käthe', lastName: 'Müßig', company: 'Nordlicht Verkehr GmbH', jobTitle: 'Leiterin Pegel' },
  { firstName: 'Chloé', lastName: 'Desrosiers', company: 'Copperline Transit', jobTitle: 'Data Engineer' },
  { firstName: '美咲', lastName: '高橋', company: '港湾データ株式会社', jobTitle: '主任研究員' },
  { firstName: 'Íñigo', lastName: 'Muñoz-Sáez', company: 'Cooperativa Río Manso', jobTitle: 'Arborista' },
  { firstName: 'Дмитрий', lastName: 'Орлов', company: 'Городской архив', jobTitle: 'Инженер' },
  { firstName: 'Ngozi', lastName: 'Okonjo', company: 'Ada & Bo “Small Tools” Ltd.', jobTitle: 'Researcher' },
  ...[
    ...['Bram Carrow', 'Clara Dunmore', 'Dorian Ellery', 'Esther Fairholm', 'Felix Greaves', 'Łukasz Gołąb'],
    ...['Zofia Źródłowska', 'Jiří Dvořák', 'Anaïs Évrard', 'Loïc Lefèvre', 'Nuño Peñalver', 'Inês Simões'],
    ...['Þóra Sjöström', 'Øystein Hägglund', 'Kwame N’Guessan', 'Thandiwe Mbeki', 'Tariq D’Almeida'],
    ...['Minh Nguyễn', 'Ελένη Παππά', 'Γιώργος Βλάχος', 'ليلى الحداد', 'עמית שלו', '晓雯 陈', '민준 김'],
    ...['प्रिया शर्मा', 'สมชาย ทองดี', 'ნინო ბერიძე', 'ሰላም ተስፋዬ', 'Iris Bellweather', 'Hugo Hartwell'],
  ].map((name) => {
    const [firstName = '', lastName = ''] = name.split(' ')
    return { firstName, lastName, company: 'Open Kerb Foundation', jobTitle: 'City Clerk' }
  }),
].map((person, index) => ({ ...person, id: 7001 + index, email: `guest.${7001 + index}@example.org` }))

export type Person = (typeof people)[number]

function session(
  id: number,
  title: string,
  [trackId, typeId, roomId, slotId]: readonly [number, number, number, number],
  speakers: readonly number[],
): PlannedSession {
  return { id, title, trackId, typeId, roomId, slotId, speakers }
}
