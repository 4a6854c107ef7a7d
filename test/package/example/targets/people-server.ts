// In an installed project, the file of the package is in this place; example.ts copies it.
export * from '../../../../pipeline/targets/examples/people-server.ts'
