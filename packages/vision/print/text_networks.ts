import { readPinnedFile } from '../model_files.ts'
import { readNetwork } from '../networks/ready.ts'
import type { NetworkName } from '../networks/ready_files.ts'
import { openSized, type RunOnPictures } from '../networks/session.ts'

/** PaddleOCR's networks of the fourth version, for mobile devices. */
export interface TextNetworks {
  /** Returns for each pixel the chance that it is part of a line of text, 0 to 1. */
  readonly find: RunOnPictures
  /** Returns the probability of each character at each step along a line; the first character is none. */
  readonly read: RunOnPictures
  /** Returns two probabilities: that a line stands upright, and that it stands on its head. */
  readonly turn: RunOnPictures
  /** The characters in the order of the network's classes; the first is none. */
  readonly characters: readonly string[]
}

async function open(name: NetworkName): Promise<RunOnPictures> {
  return openSized(await readNetwork(name))
}

/** Loads and verifies the networks one after the other, the largest first. */
export async function loadTextNetworks(): Promise<TextNetworks> {
  const read = await open('text_read')
  const find = await open('text_find')
  const turn = await open('text_turn')
  const keys = await readPinnedFile('text/ppocr_keys_v1.txt')
  return { find, read, turn, characters: ['', ...keys.toString('utf8').trimEnd().split(/\r?\n/), ' '] }
}
