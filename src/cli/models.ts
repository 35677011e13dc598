import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FaceTemplate } from '@attestor/rules'
import { falseMatchRates } from '@attestor/vision'
import type { Command } from 'commander'
import { ApiError, asError } from '../base/api_error.ts'
import type { Shell } from './command.ts'
import { written } from './intervals.ts'

interface Picture {
  readonly person: string
  readonly file: string
}

/** Each folder is a person. */
function listPictures(folder: string): readonly Picture[] {
  try {
    const people = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory())
    return people.flatMap(({ name: person }) =>
      readdirSync(join(folder, person)).map(file => ({ person, file: join(folder, person, file) })),
    )
  } catch (error) {
    throw new ApiError('malformed_request', `--folder: ${asError(error).message}`)
  }
}

interface Compared {
  /** Distances of two pictures of one person, and of two people, the least first. */
  readonly same: readonly number[]
  readonly other: readonly number[]
}

interface Embedded extends Picture {
  readonly template: FaceTemplate
}

function comparePairs(
  faces: readonly Embedded[],
  measure: (one: FaceTemplate, other: FaceTemplate) => number,
): Compared {
  const pairs = faces.flatMap((one, n) =>
    faces.slice(n + 1).map(other => ({
      isSame: one.person === other.person,
      distance: measure(one.template, other.template),
    })),
  )
  const of = (wanted: boolean): number[] =>
    pairs.flatMap(({ isSame, distance }) => (isSame === wanted ? [distance] : [])).sort((one, other) => one - other)
  return { same: of(true), other: of(false) }
}

function describeLimit({ same, other }: Compared, limit: number): string {
  const accepted = other.filter(distance => distance <= limit).length
  const missed = same.filter(distance => distance > limit).length
  return `two people accepted ${written(accepted, other.length)}; one person not accepted ${written(missed, same.length)}`
}

/** A rate is shown by pictures that would have so many false matches at it. */
const shownBy = 3

/** The greatest limit at which at most `rate` of the pairs of two people pass; null where there are too few pairs. */
function findLimit({ other }: Compared, rate: number): number | null {
  if (other.length * rate < shownBy) return null
  const first = other[Math.floor(other.length * rate)]
  return first === undefined ? null : Math.floor(first * 1000 - 1e-9) / 1000
}

function describe(compared: Compared, model: string, pictures: readonly Picture[], refused: readonly string[]): string {
  const people = new Set(pictures.map(({ person }) => person)).size
  const curve = Array.from({ length: 15 }, (_, n) => (n + 4) / 20)
  const limits = falseMatchRates.map(rate => {
    const limit = findLimit(compared, Number(rate))
    const needed = Math.ceil(shownBy / Number(rate))
    return limit === null
      ? `${rate}: can't be shown by ${compared.other.length} pairs of two people; ${needed} are needed`
      : `${rate}: ${limit.toFixed(3)}; ${describeLimit(compared, limit)}`
  })
  return [
    `${model}: ${pictures.length} pictures of ${people} people, ${compared.same.length} pairs of one person`,
    ...refused.map(what => `refused: ${what}`),
    '',
    'By limit of the distance:',
    ...curve.map(limit => `${limit.toFixed(2)}: ${describeLimit(compared, limit)}`),
    '',
    'limits.accept_below of these pictures, by false match rate:',
    ...limits,
    `limits.reject_above: above ${(compared.same.at(-1) ?? Number.NaN).toFixed(3)} lies no pair of one person`,
  ].join('\n')
}

export function addModelCommands(program: Command, { print, readConfig }: Shell): void {
  program
    .command('models')
    .description('try the models of the analysis')
    .command('check')
    .description('compare the faces of your own pictures, and print the error rates of each limit')
    .requiredOption('--folder <folder>', 'a folder for each person, with their pictures')
    .option('--model <file>', 'ONNX file, described by a JSON file beside it; by default that of FACE_MODEL')
    .action(async ({ folder, model }: { folder: string; model?: string }) => {
      // The decoders and the runtime are loaded by this command alone.
      const { restrictImageLoaders, loadModels, readFace, checkQuality, measureFaceDistance } = await import(
        '@attestor/vision/readers'
      )
      restrictImageLoaders()
      const pictures = listPictures(folder)
      const face = model ?? readConfig().FACE_MODEL
      const models = await loadModels({ face, liveness: null }).catch(error => {
        throw new ApiError('malformed_request', `--model: ${asError(error).message}`)
      })
      const faces: Embedded[] = []
      const refused: string[] = []
      for (const picture of pictures) {
        const seen = await readFace(models, readFileSync(picture.file)).catch(asError)
        const reasons =
          seen instanceof Error
            ? [seen.message]
            : seen === null
              ? ['no face']
              : seen.persons > 1
                ? ['several faces']
                : checkQuality(seen).flatMap(({ passed, name }) => (passed ? [] : [name]))
        if (reasons.length > 0 || seen === null || seen instanceof Error)
          refused.push(`${picture.file}: ${reasons.join(', ')}`)
        else faces.push({ ...picture, template: seen.template })
      }
      print(describe(comparePairs(faces, measureFaceDistance), models.embedding.model.name, pictures, refused))
    })
}
