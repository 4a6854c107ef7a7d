// One file for several topics, since opening the databases costs more than all their syncs.
import './options-of-a.ts'
import './options-of-b.ts'
import './content-subsets.ts'
import './order-of-reasons.ts'
import './second-sync.ts'
