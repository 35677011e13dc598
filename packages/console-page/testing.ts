export { word } from './page/words.ts'
