import { excluded, synced } from './traps.ts'
import { aSession, SLOT_0, type TrapOfA, trapsOfA } from './traps-of-a.ts'

const types: readonly TrapOfA[] = [
  {
    name: 'the title of a session type is its Title',
    type: { Title: 'Workshop' },
    agenda: synced({ subFilters: ['Workshop'], filterGroup: 'Types' }),
  },
  {
    name: 'the title of a session type is its Name where it has no Title',
    type: { Name: 'Keynote' },
    agenda: synced({ subFilters: ['Keynote'], filterGroup: 'Types' }),
  },
  {
    name: 'of Title and Name the Title counts',
    type: { Name: 'Keynote', Title: 'Workshop' },
    agenda: synced({ subFilters: ['Workshop'] }),
  },
  {
    name: 'a blank Title gives way to the Name',
    type: { Name: 'Keynote', Title: ' ' },
    agenda: synced({ subFilters: ['Keynote'] }),
  },
  {
    name: 'a Title of null gives way to the Name',
    type: { Title: null, Name: 'Keynote' },
    agenda: synced({ subFilters: ['Keynote'] }),
  },
  {
    name: 'a Title that is no text gives way to the Name, and is marked',
    type: { Title: { en: 'Workshop' }, Name: 'Keynote' },
    agenda: synced({ subFilters: ['Keynote'] }, 'not_text:subFilters'),
  },
  {
    name: 'a session type without Title and Name is no sub-filter, and there is no filter group',
    type: { Description: 'nameless' },
    agenda: synced({ subFilters: undefined, filterGroup: undefined }),
  },
  {
    name: 'a session without a type has no sub-filter and no filter group',
    session: { SessionTypeId: null },
    agenda: synced({ subFilters: undefined, filterGroup: undefined }),
  },
]

const places: readonly TrapOfA[] = [
  {
    name: 'a location is the location of the room and its name',
    room: { Location: 'Level 1', Name: 'Hall A' },
    agenda: synced({ location: 'Level 1 - Hall A' }),
  },
  {
    name: 'a room without a location gives its name alone',
    room: { Location: ' ', Name: 'Hall A' },
    agenda: synced({ location: 'Hall A' }),
  },
  {
    name: 'a room without a name gives its location alone',
    room: { Location: 'Level 1', Name: null },
    agenda: synced({ location: 'Level 1' }),
  },
  {
    name: 'a room whose location is its name gives it once',
    room: { Location: 'Foyer', Name: ' Foyer ' },
    agenda: synced({ location: 'Foyer' }),
  },
  {
    name: 'a room whose location and name differ by case gives both',
    room: { Location: 'foyer', Name: 'Foyer' },
    agenda: synced({ location: 'foyer - Foyer' }),
  },
  {
    name: 'a room without name and location gives none',
    room: {},
    agenda: synced({ location: undefined }),
  },
  {
    name: 'a location that is an object is no text, and marked',
    room: { Location: { floor: 1 }, Name: 'Hall A' },
    agenda: synced({ location: 'Hall A' }, 'not_text:location'),
  },
  {
    name: 'a track is a list of its title',
    track: { Title: ' Water ' },
    agenda: synced({ sessionTracks: ['Water'] }),
  },
  {
    name: 'the Name of a track is not its title',
    track: { Name: 'Water' },
    agenda: synced({ sessionTracks: undefined }),
  },
]

const dangling: readonly TrapOfA[] = [
  {
    name: 'a room that is not served is left out, and marked',
    session: { RoomId: 'none' },
    agenda: synced({ location: undefined }, 'dangling_reference:location'),
  },
  {
    name: 'a track that is not served is left out, and marked',
    session: { TrackId: 'none' },
    agenda: synced({ sessionTracks: undefined }, 'dangling_reference:sessionTracks'),
  },
  {
    name: 'a session type that is not served is left out, and marked',
    session: { SessionTypeId: 'none' },
    agenda: synced({ subFilters: undefined, filterGroup: undefined }, 'dangling_reference:subFilters'),
  },
  {
    name: 'all that is not served is marked, in byte order',
    session: { RoomId: 'none', TrackId: 'none', SessionTypeId: 'none' },
    agenda: synced(
      {},
      'dangling_reference:location; dangling_reference:sessionTracks; dangling_reference:subFilters',
    ),
  },
  {
    name: 'marks stand on an excluded session too',
    session: { RoomId: 'none', Title: null },
    agenda: excluded('missing_required:name', 'dangling_reference:location'),
  },
  {
    name: 'a time slot that is not served leaves its reason and no mark',
    session: { TimeSlotId: 'none' },
    agenda: excluded('missing_required:startTime'),
  },
  {
    name: 'a session without a time slot is missing its start',
    session: { TimeSlotId: null },
    agenda: excluded('missing_required:startTime'),
  },
  {
    name: 'a blank reference is none, and nothing dangles',
    session: { RoomId: ' ', TrackId: '', SessionTypeId: null },
    agenda: synced({ location: undefined, sessionTracks: undefined }),
  },
  {
    name: 'a reference that is a boolean is none, and marked',
    session: { RoomId: true },
    agenda: synced({ location: undefined }, 'not_text:location'),
  },
]

const later = (Id: string) => ({ ...SLOT_0, Id, StartTime: '2031-05-04T10:00:00Z' })

const repeated: readonly TrapOfA[] = [
  {
    name: 'of two time slots with one id the later counts',
    also: {
      TimeSlots: [{ ...SLOT_0, Id: 'tt' }, later('tt')],
      Sessions: [aSession('of-tt', { TimeSlotId: 'tt' })],
    },
    becomes: { 'agenda of-tt': synced({ startTime: '2031-05-04T10:00:00Z' }) },
  },
  {
    name: 'of two time slots with one id the later counts, times or not',
    also: { TimeSlots: [later('tn'), { Id: 'tn' }], Sessions: [aSession('of-tn', { TimeSlotId: 'tn' })] },
    becomes: { 'agenda of-tn': excluded('missing_required:startTime') },
  },
  {
    name: 'of two rooms with one id the later counts, with all that it has and has not',
    also: {
      Rooms: [
        { Id: 'rr', Name: 'Old Hall', Location: 'Closed' },
        { Id: 'rr', Name: 'New Hall' },
      ],
      Sessions: [aSession('of-rr', { RoomId: 'rr' })],
    },
    becomes: { 'agenda of-rr': synced({ location: 'New Hall' }) },
  },
  {
    name: 'of three tracks with one id the last counts, a number or a text',
    also: {
      Tracks: [
        { Id: 77, Title: 'Fire' },
        { Id: '77', Title: 'Air' },
        { Id: ' 77 ', Title: 'Water' },
      ],
      Sessions: [aSession('of-77', { TrackId: 77 })],
    },
    becomes: { 'agenda of-77': synced({ sessionTracks: ['Water'] }) },
  },
  {
    name: 'of two session types with one id the later counts, by Title or by Name',
    also: {
      SessionTypes: [
        { Id: 'yy', Title: '1:1 Meeting' },
        { Id: 'yy', Name: 'Workshop' },
      ],
      Sessions: [aSession('of-yy', { SessionTypeId: 'yy' })],
    },
    becomes: { 'agenda of-yy': synced({ subFilters: ['Workshop'] }) },
  },
  {
    name: 'lookups get no decision, repeated or not',
    also: {},
    becomes: { 'agenda tt': [], 'agenda rr': [], 'agenda 77': [], 'agenda yy': [], 'agenda t0': [] },
  },
]

trapsOfA('session types of Source A', {}, types)
trapsOfA('rooms and tracks of Source A', {}, places)
trapsOfA('references of Source A that lead nowhere', {}, dangling)
trapsOfA('lookups of Source A that repeat an id', {}, repeated)
