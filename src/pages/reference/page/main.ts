import { addCopyButtons } from './copy.ts'
import { openTargets, openWhilePrinting } from './details.ts'
import { followReader } from './follow.ts'
import { enableSearch } from './search.ts'

addCopyButtons()
openTargets()
openWhilePrinting()
followReader()
enableSearch()
