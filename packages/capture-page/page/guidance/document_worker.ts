import { createDocumentWatch } from './document_watch.ts'
import { serve } from './serve.ts'

serve({ open: async () => {}, createWatch: createDocumentWatch })
