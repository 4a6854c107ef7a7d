import library = require('event-content-sync')
import source = require('event-content-sync/source')
import target = require('event-content-sync/target')
import testing = require('event-content-sync/testing')

console.log(
  typeof library.open,
  typeof source.defineSource,
  typeof target.defineTarget,
  typeof testing.contractTests,
)
