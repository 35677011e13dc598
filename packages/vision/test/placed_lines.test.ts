import test from 'ava'
import { listRight, placeLines } from '../print/placed_lines.ts'
import { placeLine, placeWords } from './drawn_lines.ts'

function place(text: string, x: number, y: number, width: number) {
  return placeLine(placeWords(text), { x, y, width, height: 10 })
}

test('a line of the next row is not to the right of a label, where a nearer one stands above it', t => {
  // Half of a height lies between the label and the next row.
  const lines = placeLines([
    place('Nama', 100, 102, 40),
    place(': RINA HIDAYAT', 220, 100, 120),
    place(': NUSANTARA, 08-10-1968', 240, 107.5, 160),
    place('O', 400, 103, 10),
  ])
  const label = lines.find(({ text }) => text === 'Nama')
  t.truthy(label)
  if (label !== undefined)
    t.deepEqual(
      listRight(label, lines).map(({ text }) => text),
      [': RINA HIDAYAT', 'O'],
    )
})
