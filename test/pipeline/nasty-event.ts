/**
 * Ids that locales, UTF-16 and UTF-8 sort differently. Two are e-mail addresses. Some ids begin with a
 * character that could start a formula, so CSV files escape it.
 */
const IDS = [
  ...'z B é e\u0301 a Z _ -1 10 9 ı I i İ ß ss \u{1f600} \ufffd Ａ ä Å aa ch'.split(' '),
  ...["'q", '=1', '@x', 'ÿ', '가', 'ada@people.example', 'ADA@people.example', '12345678901234567'],
]

const TEXTS = [
  ...[
    'Grüße aus Köln',
    '👩‍👩‍👧 kin',
    'Cafe\u0301',
    'İstanbul ıI',
    'lone\rCR',
    'CR\r\nLF\nLF',
    '"quoted", "twice"',
  ],
  ...[
    '=1+1',
    '+49 30 1234',
    '-1',
    '@handle',
    "'already",
    '＝1',
    '"',
    ';',
    'a; b\\',
    'שלום',
    'ß → SS',
    '1,5',
    '007',
  ],
  ...['\ufffe\ud83d', 'tab\tin it', '\u202eright to left', '2031-03-30 02:30', '1e5', 'x'.repeat(3000)],
]

/**
 * Returns an event of Source A with unusual ids and texts.
 *
 * @param round shifts the texts of all records; in round 1 two ids are missing
 */
export function nastyEventOfA(round: 0 | 1) {
  const { ids, text } = eventOf(round)
  return {
    // In Berlin the second slot begins in the hour that occurs twice, because clocks are set back.
    TimeSlots: [
      { Id: 1, StartTime: '2031-03-30T00:30:00Z', EndTime: '2031-03-30T01:30:00Z' },
      { Id: 2, StartTime: '2031-10-26T00:30:00Z', EndTime: '2031-10-26T01:30:00Z' },
    ],
    Rooms: ids.slice(0, 9).map((id, n) => ({ Id: id, Name: text(n), Location: text(n + 3) })),
    Tracks: ids.slice(0, 9).map((id, n) => ({ Id: id, Title: text(n + 1) })),
    SessionTypes: ids.slice(0, 9).map((id, n) => ({ Id: id, Title: text(n + 2) })),
    Sessions: [
      ...ids.map((id, n) => ({
        Id: id,
        Title: text(n),
        Description: text(n + 5),
        TimeSlotId: 1 + (n % 2),
        RoomId: ids[n % 9],
        TrackId: ids[(n + 1) % 9],
        SessionTypeId: ids[(n + 2) % 9],
        Speakers: [n + 7, n + 3, n].map((at) => ({ Id: ids[at % ids.length] })),
      })),
      { Title: 'without an id' },
      { Id: 'untimed', Title: text(1) },
    ],
    Users: ids.map((id, n) => ({
      Id: id,
      FirstName: text(n),
      LastName: text(n + 1),
      EmailAddress: `${n}@people.example`,
      Company: text(n + 2),
      Biography: text(n + 3),
      SpeakingAt: [],
    })),
  }
}

/** Returns an event of Source B with the same ids and texts. The sessions of this event have local times. */
export function nastyEventOfB(round: 0 | 1) {
  const { ids, text } = eventOf(round)
  return {
    regTypes: [
      { id: 902, name: 'Speaker' },
      { id: 903, name: 'Besucher' },
    ],
    sessions: ids.map((id, n) => ({
      id,
      name: text(n),
      description: text(n + 5),
      date: n % 2 ? '2031-03-30' : '2031-10-26',
      start_time: '02:30:00',
      end_time: '04:30:00',
      timezone: n % 3 ? 'Europe/Berlin' : 'America/St_Johns',
    })),
    registrants: [
      ...ids.map((id, n) => ({
        id,
        first_name: text(n),
        last_name: text(n + 1),
        email: `${n}@people.example`,
        reg_type_id: n % 2 ? 902 : 903,
        bio: text(n + 2),
        mobile_phone: text(n + 3),
        session_ids: [ids[(n + 4) % ids.length], ids[(n + 2) % ids.length]],
        cancelled_at: n === 5 ? '2031-01-01' : null,
      })),
      { first_name: 'without an id' },
    ],
  }
}

function eventOf(round: 0 | 1) {
  return {
    ids: round === 0 ? IDS : IDS.slice(2),
    text: (n: number) => TEXTS[(n + round) % TEXTS.length] ?? '',
  }
}
