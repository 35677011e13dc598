const main = document.querySelector('main')
const branding = await fetch('verify/branding.json')
const { name } = (await branding.json()) as { readonly name: string }
if (main !== null) main.textContent = name
await import('./guidance/open_guide.ts')
