// One file for several topics, since opening the databases costs more than all their syncs.
import './plain-fields.ts'
import './relations.ts'
import './lookups.ts'
import './links.ts'
import './registrants.ts'
import './published.ts'
