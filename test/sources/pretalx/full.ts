/** One record for each list of pretalx, with a value in every field that the product reads. */
export const full = {
  submissions: {
    code: 'A8CD3F',
    title: 'Opening',
    speakers: ['F3DC8A'],
    track: 4493,
    state: 'confirmed',
    abstract: 'How we begin.',
    description: 'With music.',
    slots: [
      {
        id: 71,
        room: 1,
        start: '2031-05-04T09:00:00+02:00',
        end: '2031-05-04T10:00:00+02:00',
        submission: 'A8CD3F',
      },
    ],
  },
  rooms: { id: 1, name: 'Hall 1' },
  tracks: { id: 4493, name: 'Data' },
  speakers: {
    code: 'F3DC8A',
    name: 'Augusta Ada Lovelace',
    biography: 'Wrote the first program.',
    submissions: ['A8CD3F'],
    avatar_url: 'https://pictures.example/augusta.jpg',
    email: 'augusta@engines.example',
  },
}
