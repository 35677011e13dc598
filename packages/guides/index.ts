export { type GuideGroup, listGuides } from './contents.ts'
export { type Guides, openGuides } from './guides.ts'
export { type GuidePage, listAnchors, listGuideEntries, readGuide } from './page.ts'
