// Attestor capture.js 1. It opens the capture page in a dialog over the integrator's page, or in a place of it. It needs
// nothing of where it is served from, so that a site may keep a copy. A block, so that no name of it is global.
{
  /** What the frame sends: the integrator gets all of it but `leave`. */
  interface Message {
    readonly type: 'ready' | 'step' | 'submitted' | 'in_review' | 'finished' | 'stopped' | 'error' | 'leave'
    readonly title?: string
    readonly code?: string
  }

  interface Opening {
    readonly verify_url: string
    readonly on?: (event: Message) => void
  }

  /** Without a word of the frame for so long, it is not there: the service can't be reached, or lets nobody frame it. */
  const silentMs = 20_000

  const advice: Readonly<Record<string, string>> = {
    not_loaded: 'the frame shows no capture page: is this origin in EMBED_ORIGINS, and in config.embed_origins?',
    camera_not_allowed:
      'the frame may not use the camera: see its allow attribute, and the Permissions-Policy of this page',
  }

  /** A frame with the page, that hears and is heard by no other origin. */
  const createFrame = (verify_url: string, on: (message: Message) => void) => {
    const { href, origin: service } = new URL(verify_url, location.href)
    const frame = document.createElement('iframe')
    Object.assign(frame, { src: href, title: 'Identity verification', allow: 'camera; geolocation; clipboard-write' })
    frame.style.cssText = 'border:0;width:100%;height:100%;display:block;background:#fff;color-scheme:normal'
    let isReady = false
    const fail = (code: string): void => {
      console.error(`attestor: ${advice[code]}`)
      on({ type: 'error', code })
    }
    const post = (type: string): void => frame.contentWindow?.postMessage({ attestor: 1, type }, service)
    const listen = ({ source, origin, data }: MessageEvent): void => {
      if (source !== frame.contentWindow || origin !== service || data?.attestor !== 1) return
      const { attestor: _, title, ...message } = data
      if (message.type === 'ready') {
        isReady = true
        clearTimeout(silence)
        frame.title = title
      }
      if (message.code in advice) fail(message.code)
      else on(message)
    }
    const silence = setTimeout(() => {
      // A frame without the page hears no Escape: the page around it does.
      frame.blur()
      fail('not_loaded')
    }, silentMs)
    frame.addEventListener('load', () => post('hello'))
    addEventListener('message', listen)
    return {
      frame,
      /** Has the page ask whether the person wants to stop. False where there is no page that could. */
      ask(): boolean {
        frame.focus()
        post('ask_stop')
        return isReady
      },
      end(): void {
        clearTimeout(silence)
        removeEventListener('message', listen)
      },
    }
  }

  const isNarrow = (): boolean => matchMedia('(max-width: 640px), (max-height: 560px)').matches

  const open = ({ verify_url, on = () => {} }: Opening) => {
    const dialog = document.createElement('dialog')
    let isOver = false
    const view = createFrame(verify_url, message => {
      dialog.ariaLabel = view.frame.title
      if (['in_review', 'finished', 'stopped'].includes(message.type)) isOver = true
      if (message.type === 'leave') dialog.close()
      else on(message)
    })
    const back = (): void => dialog.close()
    dialog.style.cssText =
      'position:fixed;inset:0;width:100vw;height:100dvh;max-width:none;max-height:none;margin:0;padding:0;border:0;' +
      'display:grid;place-items:center;overflow:hidden;background:rgba(0,0,0,.5)'
    if (!isNarrow()) view.frame.style.cssText += ';width:30rem;height:min(50rem,94dvh);border-radius:12px'
    dialog.addEventListener('cancel', event => {
      if (view.ask()) event.preventDefault()
    })
    dialog.addEventListener('close', () => {
      view.end()
      dialog.remove()
      removeEventListener('popstate', back)
      if (history.state?.attestor === true) history.back()
      if (!isOver) on({ type: 'stopped' })
    })
    // A phone's back button closes the dialog.
    history.pushState({ ...history.state, attestor: true }, '')
    addEventListener('popstate', back)
    dialog.append(view.frame)
    document.body.append(dialog)
    dialog.showModal()
    view.frame.focus()
    return { close: back }
  }

  /** `<attestor-capture verify-url="…">`: its events have the names of the messages. */
  class AttestorCapture extends HTMLElement {
    #end = (): void => {}

    connectedCallback(): void {
      const verify_url = this.getAttribute('verify-url')
      if (verify_url === null) return
      const { frame, end } = createFrame(verify_url, ({ type, ...detail }) =>
        this.dispatchEvent(new CustomEvent(type, { detail })),
      )
      if (this.style.display === '') this.style.display = 'block'
      this.replaceChildren(frame)
      this.#end = end
    }

    disconnectedCallback(): void {
      this.#end()
      this.replaceChildren()
    }
  }

  customElements.define('attestor-capture', AttestorCapture)
  Object.assign(window, { Attestor: { version: 1, open } })
}
