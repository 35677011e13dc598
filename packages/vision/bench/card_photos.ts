import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { openMemory } from '../capture_memory.ts'
import { createQuarterTurns, findSurePortrait } from '../face/portrait.ts'
import { decodeDocument } from '../images/document_picture.ts'
import { loadModels } from '../models.ts'
import type { Layout } from '../print/layouts.ts'
import { loadPrintReader } from '../print/load.ts'
import { type LocatedPortrait, type Print, readPrint } from '../print/printed_side.ts'
import {
  type CardDesign,
  type CardHolder,
  cardDesigns,
  renderNationalBack,
  renderNationalCard,
} from '../synthetic/national_card.ts'
import { photograph } from '../synthetic/photo.ts'
import { photoConditions } from '../synthetic/photo_taking.ts'
import { person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'
import { inventHolder } from './card_people.ts'
import { keepReadings } from './kept_readings.ts'

const people = 40

/** A card that is photographed: its layout, its holder, and the condition of photo `n`. */
export interface ShownCard {
  readonly design: CardDesign
  readonly layout: Layout
  readonly holder: CardHolder
  readonly n: number
  readonly condition: (typeof photoConditions)[number]
}

/** The photos of cards of all layouts, and their reader. */
export interface CardPhotos {
  /** Lists the cards of photo `n`, one of each layout: forty people come in turn, under all conditions. */
  list(n: number): readonly ShownCard[]
  /** Reads the print of both sides. Where `knowsLayouts` is false it reads them as those of no known document. */
  read(card: ShownCard, knowsLayouts: boolean): Promise<Print | null>
}

/**
 * Loads the models, and draws photos from the seed `started` on. In `folder` photos and readings are kept, so that a
 * later run goes on where an earlier one ended; null keeps nothing.
 */
export async function openCardPhotos(started: number, folder: string | null): Promise<CardPhotos> {
  if (folder !== null) mkdirSync(folder, { recursive: true })
  const [models, reader] = [await loadModels(), await loadPrintReader()]
  const portraits = new Map<number, ReturnType<typeof renderPortrait>>()

  async function keep(name: string, make: () => Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    const file = folder && `${folder}/${name}`
    if (file && existsSync(file)) return new Uint8Array(readFileSync(file))
    const made = await make()
    if (file && made) writeFileSync(file, made)
    return made
  }

  async function locatePortrait(image: Uint8Array): Promise<LocatedPortrait | null> {
    const turned = createQuarterTurns((await decodeDocument(image)).pixels)
    const found = await findSurePortrait(models, turned)
    if (found === null) return null
    const pixels = turned(found.quarterTurns)
    const { landmarks } = found.face
    return { landmarks, loadPixels: async () => pixels, size: pixels, quarterTurns: found.quarterTurns }
  }

  /** The portrait of the holder of photo `n`, which is drawn once for all layouts. */
  function drawHolder(n: number): ReturnType<typeof renderPortrait> {
    const seed = personSeeds[(n % people) % personSeeds.length] ?? 1
    const drawn =
      portraits.get(seed) ?? renderPortrait(person(seed), { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })
    portraits.set(seed, drawn)
    return drawn
  }

  return {
    list(n) {
      const condition = photoConditions[n % photoConditions.length] ?? 'typical'
      return cardDesigns.map(design => {
        const layout = reader.layouts.find(({ name }) => name === design.layout)
        if (layout === undefined) throw new Error(`no layout ${design.layout}`)
        return { design, layout, holder: inventHolder(design, layout, started + (n % people)), n, condition }
      })
    },
    async read({ design, holder, n, condition }, knowsLayouts) {
      const seed = started + n
      const name = `${design.layout}_${seed}`
      const drawFront = async () => {
        const portrait = await drawHolder(n)
        return photograph(await renderNationalCard({ design, holder, portrait, seed }), { seed, condition })
      }
      const drawBack = async () => {
        const back = await renderNationalBack({ design, holder, seed })
        return back && photograph(back, { seed: seed + 500_000, condition })
      }
      const image = (await keep(`${name}.front.jpg`, drawFront)) ?? new Uint8Array()
      const other = await keep(`${name}.back.jpg`, drawBack)
      const print = {
        layouts: knowsLayouts ? reader.layouts : [],
        read: keepReadings(reader.read, folder ? `${folder}/${name}.json` : null),
      }
      const side = { capture: 'document_front', portrait: await locatePortrait(image), image, other } as const
      const unread = { findings: { reading: 'NOT_READABLE', mrz: null }, locatePage: null } as const
      return readPrint(print, { ...side, scan: unread }, openMemory(), !knowsLayouts)
    },
  }
}
