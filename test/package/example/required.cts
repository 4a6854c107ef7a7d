import library = require('event-content-sync')
import source = require('event-content-sync/source')
import testing = require('event-content-sync/testing')

console.log(typeof library.open, typeof source.defineSource, typeof testing.contractTests)
