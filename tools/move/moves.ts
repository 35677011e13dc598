/** Where every file of the old tree goes: the first rule that fits. A rule is [old prefix or file, new prefix or file]. */
export const rules: readonly (readonly [string, string])[] = [
  // durable
  ['test/durable/', 'packages/durable/test/'],
  // rules
  ['src/decision/', 'packages/rules/'],
  ['test/decision/', 'packages/rules/test/'],
  ['test/engines/unaccepted_kinds.test.ts', 'packages/rules/test/unaccepted_kinds.test.ts'],
  // vision
  ['src/engines/local/', 'packages/vision/'],
  ['src/engines/images/', 'packages/vision/images/'],
  ['src/engines/processes/', 'packages/vision/processes/'],
  ['src/engines/document_measures.ts', 'packages/vision/document_measures.ts'],
  ['src/engines/least_squares.ts', 'packages/vision/least_squares.ts'],
  ['src/engines/port.ts', 'packages/vision/port.ts'],
  ['test/engines/chip/', 'packages/credentials/test/chip/'],
  ['test/engines/addresses/', 'test/engines/addresses/'],
  ['test/engines/http', 'test/engines/http'],
  ['test/engines/scenarios.test.ts', 'test/engines/scenarios.test.ts'],
  ['test/engines/', 'packages/vision/test/'],
  ['test/truth/', 'packages/vision/test/truth/'],
  ['test/synthetic/', 'packages/vision/test/synthetic/'],
  ['synthetic/chip/', 'packages/credentials/synthetic/'],
  ['synthetic/', 'packages/vision/synthetic/'],
  ['training/', 'packages/vision/training/'],
  ['bench/truth/', 'packages/vision/bench/truth/'],
  ['bench/pictures/', 'packages/vision/bench/pictures/'],
  // credentials
  ['src/engines/chip/', 'packages/credentials/chip/'],
  ['bench/chip/', 'packages/credentials/bench/'],
  // pages
  ['src/pages/capture/', 'packages/capture-page/'],
  ['src/pages/embed/', 'packages/capture-page/embed/'],
  ['test/pages/capture/', 'packages/capture-page/test/'],
  ['test/pages/embed/', 'packages/capture-page/test/embed/'],
  ['src/console/page/', 'packages/console-page/page/'],
  ['src/pages/reference/', 'packages/api-reference/'],
  ['test/pages/reference/', 'packages/api-reference/test/'],
  ['src/pages/', 'packages/page-files/'],
  ['test/pages/', 'packages/page-files/test/'],
  // beside
  ['bench/guidance.ts', 'packages/capture-page/bench/guidance.ts'],
  ['bench/analysis.ts', 'packages/vision/bench/analysis.ts'],
  ['bench/attackers.ts', 'packages/vision/bench/attackers.ts'],
  ['bench/attacks.ts', 'packages/vision/bench/attacks.ts'],
  ['bench/barcode.ts', 'packages/vision/bench/barcode.ts'],
  ['bench/document_copies.ts', 'packages/vision/bench/document_copies.ts'],
  ['bench/drawn_faces.ts', 'packages/vision/bench/drawn_faces.ts'],
  ['bench/drawn_request.ts', 'packages/vision/bench/drawn_request.ts'],
  ['bench/european_licence.ts', 'packages/vision/bench/european_licence.ts'],
  ['bench/face.ts', 'packages/vision/bench/face.ts'],
  ['bench/hostile.ts', 'packages/vision/bench/hostile.ts'],
  ['bench/liveness_cpu.ts', 'packages/vision/bench/liveness_cpu.ts'],
  ['bench/mrz.ts', 'packages/vision/bench/mrz.ts'],
  ['bench/nearer.ts', 'packages/vision/bench/nearer.ts'],
  ['bench/picture_search.ts', 'packages/vision/bench/picture_search.ts'],
  ['bench/portraits.ts', 'packages/vision/bench/portraits.ts'],
  ['bench/print_attack.ts', 'packages/vision/bench/print_attack.ts'],
  ['bench/prints.ts', 'packages/vision/bench/prints.ts'],
  ['bench/quality.ts', 'packages/vision/bench/quality.ts'],
  ['bench/rendered.ts', 'packages/vision/bench/rendered.ts'],
  ['bench/rendered_attack.ts', 'packages/vision/bench/rendered_attack.ts'],
  ['bench/replays.ts', 'packages/vision/bench/replays.ts'],
  ['bench/request.ts', 'packages/vision/bench/request.ts'],
  ['bench/screen_light.ts', 'packages/vision/bench/screen_light.ts'],
  ['bench/stage_memory.ts', 'packages/vision/bench/stage_memory.ts'],
  ['bench/turned_people.ts', 'packages/vision/bench/turned_people.ts'],
  ['bench/national_card.ts', 'packages/vision/bench/national_card.ts'],
  ['bench/video_frames.ts', 'packages/vision/bench/video_frames.ts'],
  ['bench/video_people.ts', 'packages/vision/bench/video_people.ts'],
  ['bench/', 'lab/bench/'],
  ['demo/', 'lab/demo/'],
  ['changes/', 'docs/changes/'],
]

export function move(path: string): string {
  for (const [from, to] of rules) if (path.startsWith(from)) return to + path.slice(from.length)
  return path
}

export const packages: Readonly<Record<string, string>> = {
  'packages/durable': 'durable-xstate-sql',
  'packages/rules': '@attestor/rules',
  'packages/vision': '@attestor/vision',
  'packages/credentials': '@attestor/credentials',
  'packages/capture-page': '@attestor/capture-page',
  'packages/console-page': '@attestor/console-page',
  'packages/api-reference': '@attestor/api-reference',
  'packages/page-files': '@attestor/page-files',
}

export function packageOf(path: string): string | null {
  return Object.keys(packages).find(folder => path.startsWith(`${folder}/`)) ?? null
}
