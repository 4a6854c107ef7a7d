// One file for several topics, since opening the databases costs more than all their syncs.
import './pages-of-a.ts'
import './pages-of-b.ts'
