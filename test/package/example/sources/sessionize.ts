// In an installed project, the source itself is in this place; example.ts copies it.
export { default } from '../../../sources/sessionize/sessionize.ts'
