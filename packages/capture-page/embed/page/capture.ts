// Attestor capture.js 1. It opens the capture page in a dialog over the integrator's page, or in a place of it. It needs
// nothing of where it is served from, so that a site may keep a copy. A block, so that no name of it is global; a second
// load finds the first one.
if (customElements.get('attestor-capture') === undefined) {
  /** A message of the frame: the integrator gets each of them except `leave`. */
  interface Message {
    readonly type: 'ready' | 'step' | 'submitted' | 'in_review' | 'finished' | 'stopped' | 'closed' | 'error' | 'leave'
    readonly title?: string
    readonly code?: string
    readonly cause?: string
  }

  interface Opening {
    readonly verify_url: string
    readonly on?: (event: Message) => void
  }

  /** If the frame has sent nothing for so long, it is not there, or the network is slow. */
  const silentMs = 5000

  const advice: Readonly<Record<string, string>> = {
    not_loaded: 'the frame shows no capture page, and connect-src of this page keeps this script from finding out why',
    frame_src: 'the Content-Security-Policy of this page needs the origin of the service in frame-src',
    embedder_policy:
      'the Cross-Origin-Embedder-Policy of this page blocks the frame, whose response has lost its own: does a proxy take it away?',
    origin:
      'the service lets no page of this origin show it: name it in EMBED_ORIGINS and in config.embed_origins; in an isolated page a proxy may also have taken Cross-Origin-Resource-Policy away',
    unreachable: 'the service can’t be reached at the address of verify_url',
    invalid_url: 'verify_url: must be the absolute URL that the service answered',
    camera_not_allowed:
      'the frame may not use the camera: see its allow attribute, and the Permissions-Policy of this page',
  }

  /** Texts, by language, for a person who sees no page in the frame: the problem, the way on, and the way out. */
  const words: Readonly<Record<string, readonly [string, string, string]>> = {
    en: ['The verification does not show here.', 'Open it in a new tab', 'Close'],
    de: ['Die Prüfung wird hier nicht angezeigt.', 'In einem neuen Tab öffnen', 'Schließen'],
    fr: ['La vérification ne s’affiche pas ici.', 'L’ouvrir dans un nouvel onglet', 'Fermer'],
    es: ['La verificación no se muestra aquí.', 'Abrirla en una pestaña nueva', 'Cerrar'],
    it: ['La verifica non viene mostrata qui.', 'Aprirla in una nuova scheda', 'Chiudi'],
    pt: ['A verificação não aparece aqui.', 'Abrir em nova janela', 'Fechar'],
    nl: ['De verificatie verschijnt hier niet.', 'In een nieuw tabblad openen', 'Sluiten'],
    pl: ['Weryfikacja nie jest tu wyświetlana.', 'Otwórz w nowej karcie', 'Zamknij'],
    tr: ['Doğrulama burada görünmüyor.', 'Yeni sekmede aç', 'Kapat'],
    uk: ['Перевірка тут не відображається.', 'Відкрити в новій вкладці', 'Закрити'],
    ar: ['لا يظهر التحقق هنا.', 'فتحه في علامة تبويب جديدة', 'إغلاق'],
    he: ['האימות אינו מוצג כאן.', 'לפתוח בכרטיסייה חדשה', 'סגירה'],
    hi: ['सत्यापन यहाँ दिखाई नहीं दे रहा है।', 'नए टैब में खोलें', 'बंद करें'],
    ja: ['ここに本人確認が表示されません。', '新しいタブで開く', '閉じる'],
    ko: ['여기에 본인 확인이 표시되지 않습니다.', '새 탭에서 열기', '닫기'],
    zh: ['此处无法显示验证。', '在新标签页中打开', '关闭'],
    'zh-hant': ['此處無法顯示驗證。', '在新分頁中開啟', '關閉'],
  }

  const findWords = (): readonly [language: string, readonly [string, string, string]] => {
    for (const tag of navigator.languages) {
      const { language, script = '' } = new Intl.Locale(tag).maximize()
      const name = script === 'Hant' ? 'zh-hant' : language
      const found = words[name]
      if (found !== undefined) return [language, found]
    }
    return ['en', words.en as readonly [string, string, string]]
  }

  /** Null for a URL that the service never answers. An empty or relative one would frame the page around. */
  const readUrl = (verify_url: string): URL | null => {
    if (!URL.canParse(verify_url)) return null
    const url = new URL(verify_url)
    const isHere = url.origin === location.origin && url.pathname === location.pathname
    return /^https?:$/.test(url.protocol) && !isHere ? url : null
  }

  /** Returns why a frame shows nothing, as far as the page around it can find out. */
  const findCause = async (url: URL): Promise<string | undefined> => {
    let isBlocked = false
    const see = ({ effectiveDirective, disposition }: SecurityPolicyViolationEvent): void => {
      isBlocked ||= effectiveDirective === 'connect-src' && disposition === 'enforce'
    }
    document.addEventListener('securitypolicyviolation', see)
    const isThere = await fetch(new URL('capture.js', url), { credentials: 'omit' }).then(
      () => true,
      () => false,
    )
    await new Promise(resolve => setTimeout(resolve))
    document.removeEventListener('securitypolicyviolation', see)
    if (isThere) return 'origin'
    return isBlocked ? undefined : 'unreachable'
  }

  const showPanel = (url: URL, close: (() => void) | null): HTMLElement => {
    const [language, [text, on, out]] = findWords()
    const panel = document.createElement('div')
    Object.assign(panel, { role: 'alert', lang: language, dir: /ar|he/.test(language) ? 'rtl' : 'ltr' })
    panel.style.cssText =
      'position:absolute;inset:0;display:flex;flex-direction:column;gap:1rem;align-items:center;justify-content:center;' +
      'padding:1rem;background:#fff;color:#14171f;font:1rem/1.5 system-ui,sans-serif;text-align:center;color-scheme:light'
    const line = document.createElement('p')
    line.textContent = text
    const link = document.createElement('a')
    Object.assign(link, { href: url.href, target: '_blank', rel: 'noopener noreferrer', textContent: on })
    link.style.color = '#0b57d0'
    panel.append(line, link)
    if (close !== null) {
      const button = document.createElement('button')
      Object.assign(button, { type: 'button', textContent: out, onclick: close })
      button.style.cssText = 'font:inherit;padding:.5rem 1.5rem'
      panel.append(button)
    }
    return panel
  }

  /** A frame with the page; it exchanges messages with no other origin. */
  const createFrame = (url: URL, on: (message: Message) => void, close: (() => void) | null) => {
    const service = url.origin
    const place = document.createElement('div')
    place.style.cssText = 'position:relative;width:100%;height:100%;overflow:hidden;background:#fff'
    const frame = document.createElement('iframe')
    Object.assign(frame, {
      src: url.href,
      title: 'Identity verification',
      allow: 'camera; digital-credentials-get; geolocation; clipboard-write',
    })
    frame.style.cssText = 'border:0;width:100%;height:100%;display:block;color-scheme:normal'
    place.append(frame)
    let isReady = false
    let hasEnded = false
    let blocked: string | null = null
    let panel: HTMLElement | null = null
    const fail = (code: string, cause?: string): void => {
      console.error(`attestor: ${advice[cause ?? code]}`)
      on({ type: 'error', code, ...(cause && { cause }) })
    }
    const giveUp = async (): Promise<void> => {
      clearTimeout(silence)
      if (isReady || hasEnded || panel !== null) return
      // A frame without the page hears no Escape: the page around it does.
      panel = showPanel(url, close)
      place.append(panel)
      if (close !== null) panel.querySelector('a')?.focus()
      const cause = blocked ?? (await findCause(url))
      if (!isReady && !hasEnded) fail('not_loaded', cause)
    }
    const silence = setTimeout(giveUp, silentMs)
    const seeViolation = ({ effectiveDirective, blockedURI, disposition }: SecurityPolicyViolationEvent): void => {
      // A policy that only reports blocks nothing.
      if (effectiveDirective !== 'frame-src' || disposition !== 'enforce' || !url.href.startsWith(blockedURI)) return
      blocked = 'frame_src'
      void giveUp()
    }
    const observer =
      'ReportingObserver' in window
        ? new ReportingObserver(
            reports => {
              // A frame whose own policy is missing is blocked as `navigation`, and one that may not be shown here as `corp`.
              for (const { body } of JSON.parse(JSON.stringify(reports)))
                if (
                  body.type === 'navigation' &&
                  body.disposition === 'enforce' &&
                  url.href.startsWith(body.blockedURL)
                )
                  blocked ??= 'embedder_policy'
            },
            { types: ['coep'], buffered: false },
          )
        : null
    const post = (type: string): void =>
      frame.contentWindow?.postMessage({ attestor: 1, type, closable: close !== null }, service)
    const listen = ({ source, origin, data }: MessageEvent): void => {
      if (source !== frame.contentWindow || origin !== service || data?.attestor !== 1) return
      const { attestor: _, title, ...message } = data
      if (message.type === 'ready') {
        isReady = true
        clearTimeout(silence)
        panel?.remove()
        frame.title = title
      }
      if (message.code in advice) fail(message.code)
      else on(message)
    }
    observer?.observe()
    document.addEventListener('securitypolicyviolation', seeViolation)
    frame.addEventListener('load', () => post('hello'))
    addEventListener('message', listen)
    return {
      frame,
      place,
      /**
       * Makes the page go a step back, or ask whether the person wants to stop. False if there is no page that could.
       */
      ask(type: 'back' | 'ask_stop'): boolean {
        if (!isReady) return false
        frame.focus()
        post(type)
        return true
      },
      end(): void {
        hasEnded = true
        clearTimeout(silence)
        observer?.disconnect()
        document.removeEventListener('securitypolicyviolation', seeViolation)
        removeEventListener('message', listen)
      },
    }
  }

  const isNarrow = (): boolean => matchMedia('(max-width: 640px), (max-height: 560px)').matches

  const open = ({ verify_url, on = () => {} }: Opening) => {
    const url = readUrl(verify_url)
    if (url === null) throw new TypeError(`attestor: ${advice.invalid_url}`)
    const dialog = document.createElement('dialog')
    const close = (): void => dialog.close()
    const view = createFrame(
      url,
      message => {
        dialog.ariaLabel = view.frame.title
        if (message.type === 'leave') dialog.close()
        else on(message)
      },
      close,
    )
    dialog.style.cssText =
      'position:fixed;inset:0;width:100vw;height:100dvh;max-width:none;max-height:none;margin:0;padding:0;border:0;' +
      'display:grid;place-items:center;overflow:hidden;background:rgba(0,0,0,.5)'
    if (!isNarrow()) view.place.style.cssText += ';width:30rem;height:min(50rem,94dvh);border-radius:12px'
    dialog.addEventListener('cancel', event => {
      if (view.ask('ask_stop')) event.preventDefault()
    })
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog && !view.ask('ask_stop')) dialog.close()
    })
    dialog.addEventListener('close', () => {
      view.end()
      dialog.remove()
      removeEventListener('popstate', back)
      on({ type: 'closed' })
    })
    const addEntry = (): void => {
      if (history.state?.attestor !== true) history.pushState({ ...history.state, attestor: true }, '')
    }
    // A phone's back button goes a step back in the dialog. The history entry stays at the end: going back by script
    // would cancel a navigation that the page may have begun.
    const back = (): void => {
      if (view.ask('back')) addEntry()
      else dialog.close()
    }
    addEntry()
    addEventListener('popstate', back)
    dialog.append(view.place)
    // A script in the head may run before there is a body.
    const parent = document.body ?? document.documentElement
    parent.append(dialog)
    dialog.showModal()
    view.frame.focus()
    return { close }
  }

  /** `<attestor-capture verify-url="…">`: its events have the names of the messages. The attribute may come later, and change. */
  class AttestorCapture extends HTMLElement {
    static observedAttributes = ['verify-url']
    #end = (): void => {}
    #isPlaced = false

    get verifyUrl(): string {
      return this.getAttribute('verify-url') ?? ''
    }

    set verifyUrl(verify_url: string | null | undefined) {
      if (verify_url == null) this.removeAttribute('verify-url')
      else this.setAttribute('verify-url', verify_url)
    }

    connectedCallback(): void {
      // Set by a framework before this class was there.
      if (Object.hasOwn(this, 'verifyUrl')) {
        const { verifyUrl } = this
        Reflect.deleteProperty(this, 'verifyUrl')
        this.verifyUrl = verifyUrl
      }
      this.#isPlaced = true
      this.#show()
    }

    disconnectedCallback(): void {
      this.#isPlaced = false
      this.#clear()
    }

    attributeChangedCallback(_name: string, before: string | null, now: string | null): void {
      if (this.#isPlaced && before !== now) this.#show()
    }

    #clear(): void {
      this.#end()
      this.#end = () => {}
      this.replaceChildren()
    }

    #show(): void {
      this.#clear()
      if (this.verifyUrl === '') return
      const send = ({ type, ...detail }: Message) => this.dispatchEvent(new CustomEvent(type, { detail }))
      const url = readUrl(this.verifyUrl)
      if (url === null) {
        console.error(`attestor: ${advice.invalid_url}`)
        // The page may listen only once the element is there.
        setTimeout(() => send({ type: 'error', code: 'invalid_url' }))
        return
      }
      const { place, end } = createFrame(url, send, null)
      if (this.style.display === '') this.style.display = 'block'
      this.replaceChildren(place)
      this.#end = end
    }
  }

  customElements.define('attestor-capture', AttestorCapture)
  Object.assign(window, { Attestor: { version: 1, open } })
}
