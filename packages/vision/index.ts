export { localEngine } from './engine.ts'
export type { CheckedImage } from './images/check_image.ts'
export { decodeDocument } from './images/document_picture.ts'
export { readFrameStamp } from './images/frame_stamp.ts'
export { type ImageChecker, startImageChecker } from './images/image_checker.ts'
export { type ImageLimits, imageMediaTypes, unusableImage } from './images/media_type.ts'
export type { Subject } from './images/picture_quality.ts'
export { type WarningCode, warningCatalogue } from './images/warnings.ts'
export { type ModelFile, modelFiles, readPinnedFile } from './model_files.ts'
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
export { describePrint } from './print/describe_print.ts'
export { readLayouts } from './print/layouts.ts'
export { loadPrintReader } from './print/load.ts'
export type { PoolStats } from './processes/pool.ts'
export { checkZone } from './zone/check_digits.ts'
export { toMrzReading } from './zone/mrz_reading.ts'
