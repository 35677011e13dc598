export { listGuides } from './contents.ts'
export { openGuides } from './guides.ts'
export { listAnchors, listGuideEntries, readGuide } from './page.ts'
