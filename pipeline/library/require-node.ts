const OLDEST = 24

// This code uses only old syntax, because it must run on a Node that cannot run the rest of the package.
if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  throw new Error(
    `event-content-sync needs Node ${OLDEST} or newer as a library, and this is ${process.version}; the event-sync command includes its own Node`,
  )
}
