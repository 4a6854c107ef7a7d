const OLDEST = 24

// Only old syntax is used here, because this file must run on old versions of Node to print its message.
if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  throw new Error(
    `event-content-sync needs Node ${OLDEST} or newer as a library, and this is ${process.version}; the event-sync command includes its own Node`,
  )
}
