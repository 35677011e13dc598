export { checkZone, computeCheckDigit, passesCheck, splitNumber } from './zone/check_digits.ts'
export {
  type CheckGroup,
  findVariant,
  type LayoutName,
  otherCodes,
  positionAlphabets,
  type Span,
  textAt,
  writeAt,
  type ZoneField,
  type ZoneLayout,
  zoneLayouts,
} from './zone/layouts.ts'
export { toMrzReading } from './zone/mrz_reading.ts'
