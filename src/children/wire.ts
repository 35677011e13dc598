/** What a pool sends to a child, by structured clone: images are not copied into text. */
export interface Question<Request> {
  readonly id: number
  readonly request: Request
}

/** What a child says: that it is warm, which stage of its work begins, an answer, or that it has none. */
export type Told<Answer> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'stage'; readonly id: number; readonly stage: string }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string }

/** The child's end of it: says that this process is warm, and answers what it is asked from then on. */
export const serveQuestions = <Request, Answer>(
  answerTo: (request: Request, begin: (stage: string) => void) => Promise<Answer>,
): void => {
  const say = (told: Told<Answer>): void => {
    process.send?.(told)
  }
  process.on('message', ({ id, request }: Question<Request>) => {
    answerTo(request, stage => say({ kind: 'stage', id, stage })).then(
      answer => say({ kind: 'answer', id, answer }),
      (error: unknown) => say({ kind: 'failure', id, message: String(error) }),
    )
  })
  // The parent went away: there is nobody left to answer.
  process.on('disconnect', () => process.exit(0))
  say({ kind: 'ready' })
}
