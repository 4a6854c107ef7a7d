// One file for all traps, since opening the databases takes longer than all their syncs.
import './decisions.ts'
import './plain-fields.ts'
import './rules-of-a.ts'
import './rules-of-b.ts'
