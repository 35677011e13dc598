import type { ApiErrorCode } from '../base/api_error.ts'
import type { ImageFacts } from './check_image.ts'
import type { ImageLimits } from './media_type.ts'
import type { Subject } from './quality.ts'

/** An uploaded image on its way to the process that decodes it. */
export interface PhotoRequest {
  readonly content: Uint8Array
  readonly limits: ImageLimits
  readonly subject: Subject
}

/** What it is, or the refusal to tell. */
export type PhotoResponse =
  | { readonly facts: ImageFacts }
  | { readonly refused: { readonly code: ApiErrorCode; readonly message: string } }
