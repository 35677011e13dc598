/** Says something to screen readers, and shows it for a moment. */
export function announce(text: string): void {
  const place = document.querySelector('#announcements')
  if (place === null) return
  const message = document.createElement('p')
  message.textContent = text
  place.replaceChildren(message)
  message.addEventListener('animationend', () => message.remove())
}
