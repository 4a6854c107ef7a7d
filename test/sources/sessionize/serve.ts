import type { Records } from '../../../pipeline/library/contract.ts'
import { serveLists } from '../serve-lists.ts'

/** Starts a server on loopback that answers like Sessionize, with the event `spring`. */
export const serveSessionize = (records: Records) => serveLists('/api/v2/spring/view/All', records)
