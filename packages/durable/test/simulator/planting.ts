import { plant } from '../../../../test/planting.ts'
import { coreFaults } from './planted.ts'

/** `node --import` of this file plants a fault before any other file is loaded. */
plant(new URL('../../', import.meta.url), coreFaults)
