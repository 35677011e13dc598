import type { DocumentFields } from './mrz.ts'

/** The holder of ICAO's specimen (ICAO 9303 part 4, appendix B), with an expiry that tests and benches can live with. */
export const specimenFields = {
  document_code: 'P',
  issuing_state: 'UTO',
  nationality: 'UTO',
  document_number: 'L898902C3',
  last_name: 'Eriksson',
  first_name: 'Anna Maria',
  date_of_birth: '1974-08-12',
  expiry_date: '2032-04-15',
  sex: 'F',
  personal_number: null,
} as const satisfies DocumentFields
