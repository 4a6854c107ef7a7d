// In an installed project, the file of the package is in this place; example.ts copies it.
export { default } from '../../../../pipeline/targets/examples/people.ts'
