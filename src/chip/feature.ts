import { type ChipPolicy, chipAbsences, chipPolicies, defaultDocumentPolicy } from '@attestor/rules'
import { z } from 'zod'
import { countTakesLeft, takesPhotographs } from '../../machines/transaction.ts'
import type { Feature, FeatureCase, FieldTypes, SessionCase } from '../feature.ts'
import { sectionStatus, text } from '../schemas/common.ts'
import { meaning, orNull, withDefault, wordField } from '../schemas/fields.ts'
import { scenes } from './scenes.ts'

export function readChipPolicy({ document_policy, test }: FeatureCase['config']): ChipPolicy {
  // A script decides of itself.
  return test === null ? document_policy.chip : 'IGNORE'
}

interface ChipCase extends SessionCase {
  readonly config: FeatureCase['config'] & { readonly app_link: string | null }
}

/** Returns the session's view of the chip; null where the transaction reads none. */
function describe({ context, config }: ChipCase) {
  const policy = readChipPolicy(config)
  if (policy === 'IGNORE' || !takesPhotographs(context)) return null
  const unavailable = context.chip_unavailable
  const read = unavailable === null ? ('captured' as const) : ('unavailable' as const)
  return {
    policy,
    state: context.chip === null ? ('missing' as const) : read,
    unavailable,
    attempts_left: countTakesLeft(context, 'chip'),
    app_link: config.app_link,
  }
}

const session = z
  .object({
    policy: z.enum(['PREFER', 'REQUIRE']).meta(meaning('What the chip is to the decision.', 'REQUIRE')),
    state: z
      .enum(['missing', 'captured', 'unavailable'])
      .meta(meaning('`captured` once it was read, `unavailable` once the device said why not.', 'missing')),
    unavailable: z
      .enum(chipAbsences)
      .nullable()
      .meta(meaning('Why the device reads no chip; null where it has not said so.', null)),
    attempts_left: z.number().int().meta(meaning('Takes that are left, retakes included.', 10)),
    app_link: z
      .string()
      .nullable()
      .meta(meaning('A link that opens an app which reads chips; null for none.', 'https://shop.example/app/verify')),
  })
  .meta({ id: 'ChipProgress' })
  .nullable()
  .meta(meaning('The document’s chip; null where this transaction reads none.', null)) satisfies z.ZodType<
  ReturnType<typeof describe>
>

const document = z
  .object({
    status: sectionStatus.meta(
      meaning('`PASSED`: the state signed it, and nothing was changed. `NOT_EXECUTED`: no chip was read.', 'PASSED'),
    ),
    checks: z
      .array(
        z.object({
          name: z
            .string()
            .meta(
              meaning(
                'What was checked: its files, their digests, who signed them, or whether it is a copy.',
                'chip_signature',
              ),
            ),
          status: sectionStatus.meta(meaning('What it comes to.', 'PASSED')),
        }),
      )
      .meta(meaning('Each check of the chip. New ones may come.')),
    place_of_birth: text.meta(
      meaning('As the state wrote it on the chip; null where it did not, or the chip is not proven.', 'ZENITH'),
    ),
  })
  .meta({ id: 'ChipData' })
  .exactOptional()
  .meta(meaning('What the document’s chip proves; absent where the policy ignores chips.'))

const capture = {
  step: 'document_chip',
  kind: 'chip',
  // It differs from that of devices' JSON: it is large, and stored like a picture.
  media_type: 'application/vnd.attestor.chip+json',
  drop: 'CHIP_DROPPED',
  is_asked: false,
  words: {
    shown: [],
    step: '`document_chip` where an app is to read a chip',
    states: ['`unavailable`: the device says that it can read no chip.'],
    listed: '`document_chip` is no image but the files of a chip, in base64',
    read: 'of the chip',
    content: 'a chip’s files',
    source: 'a proven chip',
    portrait: 'of its chip',
    files: ['chip files'],
  },
} as const

/** The chip of a document, as an app reads it. */
export const chip = {
  capture,
  policy: {
    chip: withDefault(wordField(chipPolicies), defaultDocumentPolicy.chip).meta(
      meaning(
        'What the document’s chip is to the decision: `IGNORE` reads none, `PREFER` warns without one, `REQUIRE` approves only with one that is proven.',
        'PREFER',
      ),
    ),
  },
  config: ({ link }: FieldTypes) => ({
    app_link: orNull(link).meta(
      meaning(
        'A link that opens your app, which can read a chip: the session names it, and the capture page shows it where a chip is required.',
        'https://shop.example/app/verify',
      ),
    ),
  }),
  session: { chip: session },
  document: { chip: document },
  scenes,
  /** A capture can end without it, and the decision says so. */
  stepAfter(of: ChipCase) {
    const view = describe(of)
    return view && { step: capture.step, required: false, state: view.state, attempts_left: view.attempts_left }
  },
  describe: (of: ChipCase) => ({ chip: describe(of) }),
} as const satisfies Feature
