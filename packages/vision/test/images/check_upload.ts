import { type CheckedImage, type CheckRequest, checkImage } from '../../images/check_image.ts'
import { requireMediaType } from '../../images/media_type.ts'
import type { Subject } from '../../images/picture_quality.ts'

/** The limits that the settings have by default. */
export const uploadLimits = { max_bytes: 10_485_760, max_megapixels: 200 } as const

export type UploadOptions = Partial<Pick<CheckRequest, 'limits'>>

/** Checks an image as the service does, in this process. */
export async function checkUpload(
  content: Uint8Array,
  subject: Subject,
  { limits = uploadLimits }: UploadOptions = {},
): Promise<CheckedImage> {
  return checkImage({ content, mediaType: requireMediaType(content, limits), limits, subject })
}
