// One file for several topics, since opening the databases costs more than all their syncs.
import './ids.ts'
import './users-without-id.ts'
import './repeated-ids.ts'
import './keys.ts'
import './text.ts'
