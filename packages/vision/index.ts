export { localEngine } from './engine.ts'
export { ImageError } from './errors.ts'
export type { CheckedImage } from './images/check_image.ts'
export { type ImageChecker, startImageChecker } from './images/image_checker.ts'
export { type ImageLimits, imageMediaTypes } from './images/media_type.ts'
export type { Subject } from './images/picture_quality.ts'
export { type WarningCode, warningCatalogue } from './images/warnings.ts'
export { type ModelFile, modelFiles, readPinnedFile } from './model_files.ts'
export { prepareNetworks } from './networks/ready.ts'
export { readFaceModel, readLivenessModel } from './own_model_files.ts'
export {
  type AnalysisEngine,
  AnalysisError,
  type AnalysisRequest,
  type CaptureAnalysis,
  type CaptureName,
  type CaptureRequest,
  type EncodedImage,
  type EngineSection,
  EngineUnavailableError,
  engineSections,
  falseMatchRates,
  type KeptByCapture,
  type KeptFindings,
  type KeptFor,
  type PictureCode,
  type PictureCopies,
} from './port.ts'
export { readLayouts } from './print/layouts.ts'
export { decodeJsonWithBytes, encodeJsonWithBytes } from './processes/json_with_bytes.ts'
export type { PoolStats } from './processes/pool.ts'
