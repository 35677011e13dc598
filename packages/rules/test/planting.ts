import { plant } from '../../../test/planting.ts'
import { ruleFaults } from './planted.ts'

/** `node --import` of this file plants a fault before any other file is loaded. */
plant(new URL('../', import.meta.url), ruleFaults)
