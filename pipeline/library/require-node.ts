const OLDEST = 24

// Plain: it runs where nothing else of the package does.
if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  throw new Error(
    `event-content-sync needs Node ${OLDEST} or newer as a library, and this is ${process.version}; the event-sync command includes its own Node`,
  )
}
