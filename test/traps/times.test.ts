// One file for several topics, since opening the databases costs more than all their syncs.
import './times-of-a.ts'
import './times-of-b.ts'
import './clock-changes.ts'
