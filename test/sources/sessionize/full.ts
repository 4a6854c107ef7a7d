/** One record for each list of Sessionize, with a value in every field that the product reads. */
export const full = {
  sessions: {
    id: '101',
    title: 'Opening',
    description: 'How we begin.',
    startsAt: '2031-05-04T09:00:00',
    endsAt: '2031-05-04T10:00:00',
    isServiceSession: false,
    speakers: ['7b1d7a52-0000-4000-8000-000000000001'],
    categoryItems: [11],
    roomId: 1,
    status: 'Accepted',
  },
  rooms: { id: 1, name: 'Hall 1', sort: 0 },
  categories: { id: 10, title: 'Track', items: [{ id: 11, name: 'Data', sort: 0 }] },
  speakers: {
    id: '7b1d7a52-0000-4000-8000-000000000001',
    firstName: 'Augusta',
    lastName: 'Lovelace',
    tagLine: 'Countess',
    bio: 'Wrote the first program.',
    profilePicture: 'https://pictures.example/augusta.jpg',
    links: [
      { title: 'X', url: 'https://x.example/augusta', linkType: 'Twitter' },
      { title: 'LinkedIn', url: 'https://www.linkedin.com/in/augusta', linkType: 'LinkedIn' },
    ],
    sessions: [101],
  },
}
