/**
 * The networks as the runtime loads them, with the SHA-256 of each file. They are converted from the files of their makers,
 * whose bytes are pinned too (`model_files.ts`), so that a conversion gives the same bytes on every machine.
 */
export const readyFiles = {
  blazeface: 'faf4c36efad811a1b19f46c77bab1caf441ea78378441f5e92a0037cf64d2b8b',
  facemesh: '22358315c4ed02fd890b5234eb98f06828c8f718e88da289fcc44d6a83f2fd7a',
  iris: 'cbcac38ad79f7423fe6741fa486613f3b7f4f8ab1da3a31f6e7bb48bcae949c0',
  mobilefacenet: '15ade336da494d1b465770520b11e81f57bbcf7da530020f3753ed94b28c362c',
  text_find: '958288685c0eadd73ff577f929cab0ae8c0c3e742225e5afa147f256355b4e32',
  text_read: 'ec1b4b40e9665fa0d5556330dfad007fbf95d5a7a1f5b399dbe1b2be96be4374',
  text_turn: 'ce55b2e5a15d2c7922b2a39fa58397fdea02a6db19d669d89cac458b1afb1538',
} as const

export type NetworkName = keyof typeof readyFiles

export const networkNames = Object.keys(readyFiles) as readonly NetworkName[]
