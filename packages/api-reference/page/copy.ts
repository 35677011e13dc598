import { find } from './find.ts'

/** Pages over plain http have no clipboard API: there the browser copies the selection. */
function copySelected(element: Element): void {
  const selection = getSelection()
  selection?.selectAllChildren(element)
  document.execCommand('copy')
  selection?.removeAllRanges()
}

async function copy(element: Element): Promise<void> {
  if (window.isSecureContext) await navigator.clipboard.writeText(element.textContent ?? '')
  else copySelected(element)
}

function createButton(code: Element): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  const say = (word: string): void => {
    button.textContent = word
    find('#site-copied', HTMLElement).textContent = word === 'Copy' ? '' : word
  }
  button.addEventListener('click', () => {
    copy(code).then(
      () => say('Copied'),
      () => say('Not allowed'),
    )
  })
  for (const left of ['blur', 'pointerleave']) button.addEventListener(left, () => say('Copy'))
  return button
}

/** Puts a button beside each block of code. */
export function addCopyButtons(): void {
  for (const figure of document.querySelectorAll('figure.code')) {
    const code = figure.querySelector('code')
    if (code !== null) figure.querySelector('figcaption')?.append(createButton(code))
  }
}
