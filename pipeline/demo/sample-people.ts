import type { Random } from './sample-random.ts'

/** Names that are written together: each person is one given and one family name of the same row, invented. */
interface NamePool {
  readonly given: readonly string[]
  readonly family: readonly string[]
}

/** Listed as often as they should turn up: most guests of this event write their names in Latin letters. */
const latin: readonly NamePool[] = [
  pool(
    'Amelia Bram Clara Dorian Esther Felix Greta Hugo Iris Jonas',
    'Ashgrove Bellweather Carrow Dunmore Ellery Fairholm Greaves Hartwell',
  ),
  pool(
    'Anaïs Benoît Chloé Désirée Étienne Françoise Gaëlle Loïc Noémie',
    'Beaufrère Châtelain Desrosiers Évrard Lefèvre Moreau-Vidal Garçonnet',
  ),
  pool(
    'Łukasz Małgorzata Zofia Błażej Świętosława Jiří Květa Ondřej',
    'Brzęczyk Dąbrówka Gołąb Źródłowska Dvořáčková Hloušek Řezníček',
  ),
  pool(
    'Íñigo Ainhoa Joaquín Begoña Nuño Inês João Conceição',
    'Ibáñez Muñoz-Sáez Peñalver Ordóñez Gonçalves Magalhães Simões',
  ),
  pool(
    'Åsa Bjørn Søren Þóra Øystein Sigríður Jürgen Käthe',
    'Ångström-Lund Brøgger Guðmundsdóttir Hägglund Müßig Sjöström Çelik',
  ),
  pool(
    'Aiyana Chidi Folasade Kwame Ngozi Thandiwe Zainab Tariq',
    "Adébáyọ̀ N'Guessan O’Hara Okonjo Mbeki-Sithole D'Almeida van_der_Berg",
  ),
  pool('Thị Hà Minh Quốc An Bảo Ngọc Tuấn', 'Nguyễn Trần Đặng Lê Phạm Vũ'),
]
const otherScripts: readonly NamePool[] = [
  pool('Мария Дмитрий Оксана Світлана Богдан Йордан', 'Орлова Соколенко Кравець Ветров Димитров'),
  pool('Ελένη Γιώργος Νεφέλη Στέλιος', 'Παππάς Οικονόμου Καλλέργης Βλάχου'),
  pool('ليلى عمر نور يوسف هالة', 'الحداد بن‌سالم الزهراني قاسم'),
  pool('נועה אורי תמר יואב', 'ברקאי שלו אלון פלד'),
  pool('美咲 健太 陽子 翔', '高橋 渡辺 齋藤 小野寺'),
  pool('明 晓雯 志强 雅婷', '欧阳 陈 林 张'),
  pool('서연 민준 하은 지호', '김 박 남궁 최'),
  pool('आरव प्रिया ईशान मीरा', 'शर्मा वर्मा देशपांडे अय्यर'),
  pool('สมชาย มาลี ปิยะ', 'ศรีสุข ทองดี วงศ์ใหญ่'),
  pool('ნინო გიორგი თამარ', 'ბერიძე კაპანაძე'),
  pool('አበበ ሰላም ሃና', 'ተስፋዬ በቀለ'),
]

const companies = [
  'Tidemark Analytics',
  'Nordlicht Verkehr GmbH',
  'Atelier Sainte-Brume',
  'Copperline Transit',
  'Møller & Søn A/S',
  '港湾データ株式会社',
  'Городской архив',
  'Cooperativa Río Manso',
  'Blue Heron Maps',
  'Institute for Quiet Streets',
  'Łódka Software sp. z o.o.',
  'Mare Nostrum Ports',
  'Open Kerb Foundation',
  'مؤسسة المدينة',
  'Public Works, Inc.',
  'Riverside Borough Council',
  'Ferryhill University',
  '한강연구소',
  'Grid/Works',
  'Ada & Bo “Small Tools” Ltd.',
] as const
const jobTitles = [
  'Data Engineer',
  'Head of Operations',
  'Urban Planner',
  'Senior Researcher',
  'Harbour Master',
  'Product Manager',
  'Chief Archivist',
  'Directrice technique',
  'Leiterin Fahrgastinformation',
  'City Clerk',
  'GIS Analyst',
  'Student',
  'Professor of Hydrology',
  '主任研究員',
  'Инженер-эколог',
  'VP, Partnerships & Policy',
  'Community Organiser',
] as const
const fields = [
  'tide gauges',
  'night buses',
  'open registers',
  'flood maps',
  'kerbside data',
  'district heating',
  'street trees',
  'public procurement',
  'ferry timetables',
  'accessible routes',
  'noise sensors',
  'municipal archives',
] as const

/** Who somebody is, before either source says it its own way. */
export interface Profile {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly jobTitle: string
  readonly company: string
  readonly handle: string
}

/** @param index makes the e-mail address and the handle unique within an event */
export function inventProfile(random: Random, index: number): Profile {
  const names = random.chance(0.82) ? random.pick(latin) : random.pick(otherScripts)
  const firstName = random.pick(names.given)
  const lastName = random.pick(names.family)
  const ascii = `${asciiOf(firstName) || 'guest'}.${asciiOf(lastName) || 'of.the.event'}`
  return {
    firstName,
    lastName,
    email: `${ascii}.${index}@example.${index % 3 === 0 ? 'org' : 'com'}`,
    jobTitle: random.pick(jobTitles),
    company: random.pick(companies),
    handle: `${ascii.replaceAll('.', '_')}_${index}`,
  }
}

/** Two or three sentences about a speaker. */
export function inventBio(random: Random, profile: Profile): string {
  const { firstName, company } = profile
  const one = random.pick(fields)
  const two = random.pick(fields.filter((field) => field !== one))
  const years = 3 + random.below(25)
  return random.pick([
    `${firstName} has worked on ${one} for ${years} years, most of them at ${company}. Before that: ${two}.`,
    `At ${company}, ${firstName} looks after ${one} – and after the people who depend on them.\n\nSpare time: ${two}.`,
    `${firstName} writes about ${one}; "the only person who reads the footnotes", a colleague once said 🙂.`,
    `${years} years of ${one}, ${two} and patience. ${firstName} joined ${company} in ${2030 - years}.`,
  ])
}

function pool(given: string, family: string): NamePool {
  const list = (names: string) => names.split(' ').map((name) => name.replaceAll('_', ' '))
  return { given: list(given), family: list(family) }
}

function asciiOf(name: string): string {
  const letters = name.normalize('NFKD').toLowerCase()
  return letters.replaceAll(/[^a-z]/g, '')
}
