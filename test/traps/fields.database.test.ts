// This file imports all traps, because opening databases for several test files takes longer than all syncs
// of the traps.
import './decisions.ts'
import './plain-fields.ts'
import './rules-of-a.ts'
import './rules-of-b.ts'
