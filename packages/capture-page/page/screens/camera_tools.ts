import { facingOf, type PictureStep } from '../../../../machines/capture.ts'
import type { App } from '../app.ts'
import type { CameraOption } from '../camera.ts'
import { el } from '../dom.ts'

/** Whether a label is Chromium's name for a camera of an Android phone: "camera2 0, facing back". */
function isTechnical(label: string): boolean {
  return /^camera2? \d+, facing /.test(label)
}

function toOption({ say }: App, { id, label, is_open }: CameraOption, index: number): HTMLOptionElement {
  return el(
    'option',
    { value: id, selected: is_open },
    label === '' || isTechnical(label) ? say('camera.number', { n: index + 1 }) : label,
  )
}

/** A choice of the device's cameras; nothing where there is none. */
function createCameraChoice(app: App, step: PictureStep) {
  const select = el('select', { change: () => app.send({ type: 'CHOOSE_CAMERA', camera: select.value }) })
  const element = el('label', { hidden: true }, app.say('camera.choose'), select)
  return {
    element,
    async refresh(): Promise<void> {
      const cameras = await app.stage.listCameras(facingOf(step))
      element.hidden = cameras.length < 2
      select.replaceChildren(...cameras.map((camera, index) => toOption(app, camera, index)))
    },
  }
}

/** A switch for the camera's light; nothing where there is none. A document may lie in the dark; a face is dazzled. */
function createLightSwitch({ say, stage }: App, step: PictureStep) {
  const button = el('button', { type: 'button', class: 'quiet', hidden: true, click: () => void turn() })
  const refresh = async (): Promise<void> => {
    const light = step === 'selfie' ? null : await stage.findLight()
    button.hidden = light === null
    button.textContent = say(light?.is_on ? 'camera.light_off' : 'camera.light_on')
  }
  const turn = async (): Promise<void> => {
    const light = await stage.findLight()
    await light?.turn(!light.is_on)
    await refresh()
  }
  return { element: button, refresh }
}

/** Controls by which a person changes the camera that films. */
export function createCameraTools(app: App, step: PictureStep) {
  const choice = createCameraChoice(app, step)
  const light = createLightSwitch(app, step)
  const refresh = (): void => {
    void choice.refresh()
    void light.refresh()
  }
  // A camera may be plugged in, or pulled out.
  navigator.mediaDevices?.addEventListener('devicechange', refresh)
  return {
    element: el('div', { class: 'tools' }, choice.element, light.element),
    refresh,
    close: () => navigator.mediaDevices?.removeEventListener('devicechange', refresh),
  }
}
