import { type Mutation, mutationsOf } from './mutation.ts'

/** Records on their way in: which key becomes which column. Source: spec 2; spec-gaps. */
export const ofDoors: readonly Mutation[] = [
  ...mutationsOf('pipeline/extract/source-a/records.ts', {
    'Keys of A: of two spellings the last counts': [
      'if (!hasValue(folded[name])) folded[name] = value',
      'folded[name] = value',
    ],
    'Keys of A: case matters': ['const lower = key.toLowerCase()', 'const lower = key'],
    'SpeakerOrder: it is not looked at': [
      'inOrderOf(references(session.speakerorder).ids, speakers.ids)',
      'speakers.ids',
    ],
    'SpeakerOrder: it adds speakers': ['order.filter((id) => ids.includes(id))', '[...order]'],
    'SessionTypes: Name does not stand in for Title': ['staged(type.name.value, [', 'staged(null, ['],
    'SessionTypes: Name comes before Title': ['type.title.value === null\n', 'type.name.value !== null\n'],
    'Unique ID of an A attendee: the e-mail address keeps its capitals': [
      'staged(email.toLowerCase(), user.id.marks)',
      'staged(email, user.id.marks)',
    ],
    'Users: Roles in one text are not split': ['split(/[|,;]/)', 'split(/,/)'],
    'Users: first and last name are swapped': [
      'first_name: user.firstname,\n          last_name: user.lastname,',
      'first_name: user.lastname,\n          last_name: user.firstname,',
    ],
    'Rooms: location and name are swapped': [
      '({ source_id: id, name, location })',
      '({ source_id: id, name: location, location: name })',
    ],
    'TimeSlots: the end is read from the start': [
      `timeColumns('end_time', readTimeOfA(slot.endtime`,
      `timeColumns('end_time', readTimeOfA(slot.starttime`,
    ],
    'spec-gaps, option source.fields: Facebook is always read from Facebook': [
      'user[facebookKey]',
      `user.facebook`,
    ],
    'SpeakingAt: ids stay in the order of the source': [
      'referencesInByteOrder(references(user.speakingat))',
      'staged(references(user.speakingat).ids, references(user.speakingat).marks)',
    ],
  }),
  ...mutationsOf('pipeline/extract/source-b/records.ts', {
    'Keys of B: the e-mail address is always read from email': [
      'fields.email === EMAIL ? record : { ...record, [EMAIL]: record[fields.email] ?? null }',
      'record',
    ],
    "Speakers, B: a type's id comes before its own value": ['folded(name ?? id)', 'folded(id ?? name)'],
    'reg_type_id: the value of an object is not read': [
      'isObject ? readText(value.value).value : null',
      'null',
    ],
    'spec 2.8: the phone is read from the company': [
      'mobile_phone: registrant.mobile_phone',
      'mobile_phone: registrant.company',
    ],
    'spec 2.8: cancelled_at is not looked at': [
      'if (!isCancelled(value)) return null',
      'if (value !== undefined) return null',
    ],
  }),
  ...mutationsOf('pipeline/extract/door.ts', {
    'Ids: one that no index can hold is let in': [
      'const MAX_ID_BYTES = 1000',
      'const MAX_ID_BYTES = 1_000_000',
    ],
    'Ids: a record without one gets a made-up one': [
      `if (typeof source_id.value === 'string') {`,
      `source_id.value ??= 'none'\n    if (typeof source_id.value === 'string') {`,
    ],
    'A record that is no object is read as an empty one': [
      `if (!isJsonObject(record)) return { path: '$', message: 'not an object' }`,
      `if (!isJsonObject(record)) record = { id: '0', name: '0' }`,
    ],
  }),
  ...mutationsOf('pipeline/extract/to-incoming.ts', {
    'Version: options that shape a record do not count': [
      'JSON.stringify([DOOR_VERSION, resource.name, resource.columns, resource.shapedBy])',
      'JSON.stringify([DOOR_VERSION, resource.name, resource.columns])',
    ],
    'Version: a new column does not count': [
      'JSON.stringify([DOOR_VERSION, resource.name, resource.columns, resource.shapedBy])',
      'JSON.stringify([DOOR_VERSION, resource.name, resource.shapedBy])',
    ],
    'Detail: marks of the id are dropped': [
      'for (const mark of read.sourceId.marks) marks',
      'for (const mark of []) marks',
    ],
  }),
]
