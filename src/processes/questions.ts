import type { ChildMessage, ChildRequest } from './protocol.ts'

/** What was asked and has no answer yet. */
export const openRequests = <Request, Answer>() => {
  const open = new Map<number, PromiseWithResolvers<Answer>>()
  let next_id = 1
  let stage: string | null = null
  return {
    put(request: Request): { readonly question: ChildRequest<Request>; readonly answer: Promise<Answer> } {
      const question = { id: next_id++, request }
      const answer = Promise.withResolvers<Answer>()
      open.set(question.id, answer)
      stage = null
      return { question, answer: answer.promise }
    },
    hear(told: Exclude<ChildMessage, { readonly kind: 'ready' }>): void {
      const asked = open.get(told.id)
      if (asked === undefined) throw new Error('answered what it was not asked')
      if (told.kind === 'stage') {
        stage = told.stage
        return
      }
      open.delete(told.id)
      if (told.kind === 'answer') asked.resolve(told.answer as Answer)
      else asked.reject(new Error(told.message))
    },
    end(error: Error): void {
      for (const asked of open.values()) asked.reject(error)
      open.clear()
    },
    stage: () => stage,
  }
}
