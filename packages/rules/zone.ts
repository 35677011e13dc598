export { checkZone, computeCheckDigit, passesCheck } from './zone/check_digits.ts'
export {
  findVariant,
  type LayoutName,
  otherCodes,
  positionAlphabets,
  type Span,
  writeAt,
  type ZoneField,
  type ZoneLayout,
  zoneLayouts,
} from './zone/layouts.ts'
export { toMrzReading } from './zone/mrz_reading.ts'
