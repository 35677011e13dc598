import { type DocumentType, feedbackCatalogue } from '@attestor/rules'
import test from 'ava'
import type { Page } from 'puppeteer-core'
import sharp from 'sharp'
import { type CaptureContext, captureMachine, type PictureStep } from '../../../machines/capture.ts'
import { closeBrowser, openBrowser, openPage, serialBrowserTest } from '../../../test/browser.ts'
import { sqlite } from '../../../test/database.ts'
import { openDoor } from '../../../test/http/door.ts'
import { inLongTier, isLong, rounds } from '../../../test/tier.ts'
import { plainBranding } from '../branding.ts'
import en from '../page/texts/en.json' with { type: 'json' }
import type { TextKey, Texts } from '../page/texts/keys.ts'
import { chooseLanguage, getDirection, languageNames, loaders, openTexts } from '../page/texts.ts'
import { type Look, setLook } from './reader.ts'
import { checkScreen } from './visitor.ts'

/** Folder for a picture of every screen; none by default. */
const gallery = process.env.SCREENSHOTS ?? null

const allTexts: Readonly<Record<string, Texts>> = Object.fromEntries(
  await Promise.all(Object.entries(loaders).map(async ([language, load]) => [language, await load()])),
)

/** Words that a language shares with English. */
const sameInEnglish = ['nl: camera.choose', 'nl: camera.number', 'nl: stop.later']

function listPlaceholders(text: string): readonly string[] {
  return (text.match(/\{\w+\}/g) ?? []).sort()
}

test('each language has every text, with the same placeholders, and leaves none in English', t => {
  t.deepEqual(Object.keys(allTexts), Object.keys(languageNames))
  for (const [language, texts] of Object.entries(allTexts)) {
    t.deepEqual(
      Object.keys(texts).filter(key => Object.hasOwn(en, key)),
      Object.keys(en),
      language,
    )
    for (const [key, text] of Object.entries(texts)) {
      const plain = key.replace(/_(two|few|many)$/, '') as TextKey
      // A dual says its number itself.
      if (!key.endsWith('_two')) t.deepEqual(listPlaceholders(text), listPlaceholders(en[plain]), `${language}: ${key}`)
      if (texts !== en && !sameInEnglish.includes(`${language}: ${key}`)) t.not(text, en[plain], `${language}: ${key}`)
    }
    const rules = new Intl.PluralRules(language)
    const needed = new Set([2, 3, 5, 11].map(n => rules.select(n)))
    for (const plural of [...needed].filter(one => one !== 'other'))
      for (const key of ['advice.left', 'live.left'])
        t.true(Object.hasOwn(texts, `${key}_${plural}`), `${language}: ${key}_${plural}`)
  }
})

test('a number has the plural and the digits of its language, and a name keeps its direction', async t => {
  const own = { 'advice.left': '{n} other', 'advice.left_few': '{n} few', 'advice.left_many': '{n} many' }
  const polish = await openTexts('pl', { pl: own }, {})
  t.deepEqual(
    [3, 5].map(n => polish('advice.left', { n })),
    ['3 few', '5 many'],
  )
  const persian = await openTexts('fa', { fa: { ...own, 'page.leave': '{name}!' } }, { name: 'Nord' })
  t.deepEqual([persian('advice.left', { n: 4 }), persian('page.leave')], ['۴ other', '\u2068Nord\u2069!'])
  t.deepEqual(['en', 'ar', 'fa', 'ur', 'zh-Hant'].map(getDirection), ['ltr', 'rtl', 'rtl', 'rtl', 'ltr'])
})

test('the nearest language that is offered is spoken', t => {
  for (const [wanted, chosen] of [
    ['pt', 'pt-BR'],
    ['pt-PT', 'pt-PT'],
    ['pt_PT', 'en'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['zh-Hant-MY', 'zh-Hant'],
    ['zh', 'zh-Hans'],
    ['zh-SG', 'zh-Hans'],
    ['iw', 'he'],
    ['ar-EG', 'ar'],
    ['en-GB', 'en'],
    ['no_tag', 'en'],
  ] as const)
    t.is(chooseLanguage(['xx', wanted], Object.keys(languageNames)), chosen, wanted)
})

type Value = string | { readonly [state: string]: Value }

interface State {
  readonly path: readonly string[]
  readonly tags: readonly string[]
  readonly states: Readonly<Record<string, State>>
}

function listStates(state: State): readonly State[] {
  return [state, ...Object.values(state.states).flatMap(listStates)]
}

function toValue([state = '', ...inner]: readonly string[]): Value {
  return inner.length === 0 ? state : { [state]: toValue(inner) }
}

/** Every state of the chart that shows a screen, and that screen. */
function listShown() {
  return listStates(captureMachine.root).flatMap(({ tags, path }) =>
    tags.map(screen => ({ screen, name: path.join('.'), value: toValue(path) })),
  )
}

const steps = ['document_front', 'document_back', 'selfie', 'liveness'] as const

function contextOf(step: PictureStep, document_type: DocumentType): CaptureContext {
  return {
    is_desktop: true,
    by_handoff: false,
    has_code: false,
    is_embedded: false,
    session: {
      status: 'INITIATED',
      transaction_type: 'DOCUMENT_AND_BIOMETRIC',
      document_type,
      steps: steps.map(one => ({ step: one, required: true, state: 'captured', attempts_left: 9 })),
      advice: [],
      pending: [],
      may_capture: true,
      waiting_for: null,
      face_search: false,
      asks_location: false,
      chip: { policy: 'REQUIRE', app_link: 'https://shop.example/app' },
      wallet: { policy: 'OFFER', state: 'missing', request_id: null, attempts_left: 9 },
      redirect_url: 'https://shop.example/done',
      expires_in_ms: 600_000,
    },
    redirect_url: 'https://shop.example/done',
    document_type,
    step,
    picture: null,
    receipt: {
      warnings: Object.keys(en).flatMap(key => (/^advice\.[A-Z]/.test(key) ? [key.slice(7)] : [])),
      pending: false,
      attempts_left: 9,
    },
    challenge: {
      challenge_id: 'c',
      actions: ['TURN_LEFT', 'OPEN_MOUTH'],
      lasts_ms: 120_000,
      expires_in_ms: 1000,
      attempts_left: 4,
    },
    position: 1,
    offer: {
      code: 'x'.repeat(43),
      verify_url: `https://verify.example/verify#handoff=${'x'.repeat(43)}`,
      may_send: true,
      expires_in_ms: 600_000,
    },
    wallet_request: { request_id: 'r', requests: [], link: 'openid4vp://?client_id=x', expires_in_ms: 300_000 },
    wallet_answer: null,
    failure: 'wrong_type',
    camera_failure: 'camera_missing',
    failures: 0,
    outcome: 'UNDETERMINED',
    advice: [],
    takes_again: false,
    kept: [],
  }
}

/** Lists what a person may see in a state: each step, each outcome, each failure has its own words. */
function listContexts(screen: string): readonly Partial<CaptureContext>[] {
  if (screen === 'EXPLAIN_PICTURE' || screen === 'PICTURE_CAMERA')
    return [
      {},
      { step: 'document_front' },
      { step: 'document_back' },
      { step: 'document_front', document_type: 'PASSPORT' },
    ]
  if (screen === 'RESULT') {
    const advice = Object.keys(feedbackCatalogue)
    const ends = (['APPROVED', 'REJECTED', 'UNDETERMINED'] as const).map(outcome => ({ outcome }))
    return [...ends, { outcome: 'REJECTED', advice }, { outcome: 'UNDETERMINED', advice }]
  }
  if (screen === 'OFFLINE') return (['offline', 'busy'] as const).map(failure => ({ failure }))
  if (screen === 'NO_CAMERA')
    return (['camera_refused', 'camera_missing', 'camera_busy'] as const).map(camera_failure => ({ camera_failure }))
  if (screen.endsWith('REFUSED'))
    return (['unreadable', 'too_large', 'wrong_type', 'repeated'] as const).map(failure => ({ failure }))
  if (screen === 'CONSENT') {
    const { session } = contextOf('selfie', 'PASSPORT')
    return [{}, { session: session && { ...session, face_search: true, asks_location: true } }]
  }
  if (screen === 'WALLET') return [false, true].map(is_desktop => ({ is_desktop }))
  if (screen === 'LIVENESS_FILE') return [0, 1].map(position => ({ position }))
  return [{}]
}

const states = listShown()

const shown = states.flatMap(({ screen, name, value }, at) => {
  const isFirst = states.findIndex(state => state.screen === screen) === at
  return (isFirst ? listContexts(screen) : [{}]).map((given, n) => ({
    screen,
    name: `${name} ${n}`,
    value,
    context: { ...contextOf('selfie', 'RESIDENCE_PERMIT'), ...given },
  }))
})

const smallPhone: Look = { width: 320, height: 568, isPhone: true }

interface SharedPage {
  readonly page: Page
  close(): Promise<void>
}

/** Pages by their accent. Tests run one after the other here, so that the modules are loaded once. */
const sharedPages = new Map<string | null, Promise<SharedPage>>()
const faults: string[] = []

test.after.always(async () => {
  for (const shared of sharedPages.values()) await (await shared).close()
  await closeBrowser()
})

test.afterEach.always(t => {
  t.deepEqual(faults.splice(0), [], 'errors of the page')
})

async function openSharedPage(accent: string | null): Promise<SharedPage> {
  const door = await openDoor(sqlite, { branding: { ...plainBranding, accent } })
  const ends: (() => Promise<void>)[] = [door.close]
  const fail = (message?: string): void => void faults.push(message ?? 'failed')
  const page = await openPage({ fail, teardown: end => ends.unshift(end) }, await openBrowser(), 'about:blank')
  await setLook(page, smallPhone)
  await page.goto(`${door.url}/verify`)
  await page.waitForSelector('main.unknown_link')
  await page.evaluate(`(async () => {
    const load = path => import(new URL(path, document.querySelector('script[src]').src))
    const [{ createScreens }, { captureMachine }, { getDirection, openTexts }, { createStage }] = await Promise.all(
      ['./screens.ts', '../../../machines/capture.ts', './texts.ts', './stage.ts'].map(load))
    const canvas = new OffscreenCanvas(640, 480)
    canvas.getContext('2d').fillRect(0, 0, 640, 480)
    const picture = await canvas.convertToBlob()
    const name = 'Versicherungs-Gesellschaft Nord'
    window.renew = () => {
      const stage = createStage(() => ({ max_bytes: 10485760, max_megapixels: 50 }))
      window.show = async (language, { value, context }) => {
        document.documentElement.lang = language
        document.documentElement.dir = getDirection(language)
        document.querySelector('#language').value = language
        const say = await openTexts(language, {}, { name })
        const app = { say, privacy_url: 'https://shop.example/privacy', contact_url: 'https://shop.example/help', stage, send() {}, announce() {} }
        const snapshot = captureMachine.resolveState({ value, context: { ...context, picture } })
        createScreens(name)(app, snapshot, true)
      }
    }
  })()`)
  return {
    page,
    async close() {
      for (const end of ends) await end()
    },
  }
}

/** The page with its own modules; `show` then shows a state as the page does, in a language. */
async function openScreens(look = smallPhone, accent: string | null = null): Promise<Page> {
  const shared = sharedPages.get(accent) ?? openSharedPage(accent)
  sharedPages.set(accent, shared)
  const { page } = await shared
  await page.emulateMediaFeatures([])
  await page.setViewport({ width: look.width, height: look.height, isMobile: look.isPhone, hasTouch: look.isPhone })
  await page.evaluate(`renew(); document.documentElement.style.fontSize = '${100 * (look.letters ?? 1)}%'`)
  return page
}

/** Words that are broken within, or that are wider than their element: soft hyphens say where a word may break. Chinese and Japanese break anywhere. */
const findTornWords = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const torn = []
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (!text.parentElement.checkVisibility() || text.parentElement.closest('.unseen, script, style, option') !== null) continue
    for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{M}]+/gu)) {
      const range = new Range()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      const rects = [...range.getClientRects()]
      const { left, right } = text.parentElement.getBoundingClientRect()
      const isWord = !/[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}]/u.test(word)
      if ((isWord && new Set(rects.map(rect => rect.top)).size > 1) || rects.some(rect => rect.left < left - 1 || rect.right > right + 1))
        torn.push(word)
    }
  }
  return torn
})()`

/** The focused element must not be covered by the buttons at the bottom (WCAG 2.2, 2.4.11). */
const findCovered = `[...document.querySelectorAll('main :is(a, button, input, select)')]
  .filter(one => one.checkVisibility() && !one.disabled)
  .filter(one => {
    scrollTo(0, 0)
    one.focus()
    const { left, right, top, bottom } = one.getBoundingClientRect()
    const isOn = y => document.elementFromPoint((left + right) / 2, y)?.closest('a, button, label, input, select') === (one.closest('label') ?? one)
    return !one.matches('.unseen') && !isOn(top + 2) && !isOn(bottom - 2)
  })
  .map(one => one.textContent)`

serialBrowserTest('the consent says so where the face is searched among those of others, and only there', async t => {
  const page = await openScreens()
  const consents = shown.filter(({ screen }) => screen === 'CONSENT').slice(0, 2)
  for (const [language, texts] of Object.entries(allTexts).slice(0, rounds(2, Number.POSITIVE_INFINITY)))
    for (const [n, state] of consents.entries()) {
      await page.evaluate(`show(${JSON.stringify(language)}, ${JSON.stringify(state)})`)
      const shownText = await page.$eval('main', main => main.textContent ?? '')
      const text = shownText.replace(/[\u2068\u2069]/g, '')
      const has = (key: 'consent.use_search' | 'consent.use_biometric') =>
        text.includes(texts[key].replaceAll('{name}', 'Versicherungs-Gesellschaft Nord'))
      t.deepEqual([has('consent.use_biometric'), has('consent.use_search')], [n === 0, n === 1], language)
    }
})

serialBrowserTest('the page says that it cannot read a required chip, and links to the app', async t => {
  const page = await openScreens()
  const consent = shown.find(({ screen }) => screen === 'CONSENT')
  if (consent?.context.session == null) return t.fail()
  const show = async (chip: NonNullable<CaptureContext['session']>['chip']): Promise<[boolean, boolean]> => {
    const context = { ...consent.context, session: { ...consent.context.session, chip } }
    await page.evaluate(`show('en', ${JSON.stringify({ ...consent, context })})`)
    const text = await page.$eval('main', main => main.textContent)
    return [text.includes('chip has to be read'), (await page.$('a[href="https://shop.example/app"]')) !== null]
  }
  t.deepEqual(await show({ policy: 'REQUIRE', app_link: 'https://shop.example/app' }), [true, true])
  t.deepEqual(await show({ policy: 'REQUIRE', app_link: null }), [true, false])
  t.deepEqual(await show({ policy: 'PREFER', app_link: 'https://shop.example/app' }), [false, false])
  t.deepEqual(await show(null), [false, false])
})

serialBrowserTest(
  'the page turns round for writing from right to left; the mirror, its arrows and a link keep their sides',
  async t => {
    const page = await openScreens()
    const show = async (language: string, screen: string, context: Partial<CaptureContext> = {}): Promise<void> => {
      const state = shown.find(one => one.screen === screen)
      if (state === undefined) return t.fail(screen)
      await page.evaluate(
        `show(${JSON.stringify(language)}, ${JSON.stringify({ ...state, context: { ...state.context, ...context } })})`,
      )
    }
    const middle = (selector: string) =>
      page.$eval(selector, one => (one.getBoundingClientRect().left + one.getBoundingClientRect().right) / 2)
    const style = (selector: string, name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`)
    const rightToLeft = Object.keys(allTexts).filter(language => getDirection(language) === 'rtl')
    t.deepEqual(rightToLeft, ['ar', 'he'])
    for (const language of ['en', ...rightToLeft]) {
      const turned = language !== 'en'
      await show(language, 'EXPLAIN_PICTURE')
      t.is((await middle('.bar .back')) > (await middle('.bar .quiet:not(.back)')), turned, language)
      t.is(await style('progress', 'direction'), turned ? 'rtl' : 'ltr')
      t.is((await middle('header span')) > (await middle('#language')), turned, language)
      await show(language, 'LIVENESS_CAMERA', { position: 0 })
      t.is(await page.$eval('.arrow', arrow => arrow.textContent), '←', 'to the left in the mirror')
      t.is(await style('.arrow', 'transform'), 'none')
      t.is(await style('video', 'transform'), 'matrix(-1, 0, 0, 1, 0, 0)')
      await show(language, 'HANDOFF')
      t.is(await style('input.link', 'direction'), 'ltr')
    }
  },
)

const firstOfEach = shown.filter(({ screen }, at) => shown.findIndex(one => one.screen === screen) === at)

inLongTier(serialBrowserTest)("each drawing is shown, and those with a colour have the operator's", async t => {
  const page = await openScreens(smallPhone, '#d00000')
  const drawn = new Set<string>()
  for (const state of shown) {
    await page.evaluate(`show('en', ${JSON.stringify(state)})`)
    const isRefused = state.screen === 'NO_CAMERA' && state.context.camera_failure === 'camera_refused'
    const drawing = await (isRefused ? page.waitForSelector('.drawing') : page.$('.drawing'))
    if (drawing === null) continue
    await page.waitForFunction(`document.querySelector('.drawing use').getBBox().width > 0`)
    drawn.add(await drawing.$eval('use', use => use.getAttribute('href')?.match(/[a-z_]+(?=\.svg)/)?.[0] ?? ''))
    if (state.screen !== 'EXPLAIN_PICTURE') continue
    const { data, info } = await sharp(await drawing.screenshot())
      .raw()
      .toBuffer({ resolveWithObject: true })
    let red = 0
    for (let at = 0; at < data.length; at += info.channels) if ((data[at] ?? 0) - (data[at + 1] ?? 0) > 30) red++
    t.true(red > 100, `${red} pixels`)
  }
  t.deepEqual([...drawn].sort(), [
    'allow_chromium',
    'back',
    'consent',
    'face',
    'front',
    'passport',
    'phone',
    'turn',
    'wallet',
  ])
})

/** Buttons of the screen that a person would have to scroll for. */
function findHidden(selector: string): string {
  return `[...document.querySelectorAll('${selector}')]
  .filter(one => one.checkVisibility())
  .filter(one => one.getBoundingClientRect().top < 0 || one.getBoundingClientRect().bottom > innerHeight + 1)
  .map(one => one.textContent)`
}

serialBrowserTest(
  'the buttons are in sight on phones, tablets and foldables, and with letters of twice the size',
  async t => {
    for (const { name, width, height, letters, buttons } of [
      { name: 'lying', width: 844, height: 390, letters: 1, buttons: '.actions > *, .controls > *' },
      ...(isLong
        ? [
            { name: 'small and lying', width: 667, height: 320 },
            { name: 'tablet', width: 820, height: 1180 },
            { name: 'tablet lying', width: 1180, height: 820 },
            { name: 'folded', width: 344, height: 882 },
            { name: 'unfolded', width: 884, height: 1104 },
            { name: 'unfolded and lying', width: 717, height: 512 },
          ].map(look => ({ ...look, letters: 1, buttons: '.actions > *, .controls > *' }))
        : []),
      { name: 'large letters', width: 390, height: 844, letters: 2, buttons: '.actions > .primary, .controls > *' },
    ]) {
      const page = await openScreens({ width, height, isPhone: true, letters })
      for (const state of isLong ? shown : firstOfEach) {
        await page.evaluate(`show('de', ${JSON.stringify(state)})`)
        await page.evaluate('scrollTo(0, 0)')
        const screen = `${name} ${state.screen.toLowerCase()} ${state.name}`
        t.deepEqual(await page.evaluate(findHidden(buttons)), [], screen)
        t.is(await page.evaluate('document.documentElement.scrollWidth'), width, screen)
        if (gallery !== null) await page.screenshot({ path: `${gallery}/${screen}.png` })
      }
    }
  },
)

const looks = [
  ...Object.keys(allTexts).map(language => ({ language, scheme: 'light' })),
  { language: 'de', scheme: 'dark' },
] as const

// German has the longest words: if they fit, the others do.
for (const { language, scheme } of isLong ? looks : looks.slice(-1))
  serialBrowserTest(`every screen fits into 320 pixels: ${language}, ${scheme}`, async t => {
    const page = await openScreens()
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    for (const state of isLong ? shown : firstOfEach) {
      await page.evaluate(`show(${JSON.stringify(language)}, ${JSON.stringify(state)})`)
      const name = `${state.screen.toLowerCase()} ${state.name}`
      t.is(await page.$eval('main', main => main.className), state.screen.toLowerCase(), name)
      t.deepEqual(await page.evaluate(findTornWords), [], name)
      t.deepEqual(await page.evaluate(findCovered), [], name)
      await page.evaluate('scrollTo(0, 0)')
      await checkScreen(t, page, name)
      if (gallery !== null)
        await page.screenshot({ path: `${gallery}/${language}-${scheme}-${name}.png`, fullPage: true })
    }
  })
