import { posix } from 'node:path'
import { type Html, type HtmlValue, html } from '@attestor/page-files'
import { toSlug } from './openapi.ts'

/** A page's place in the contents. */
export interface Entry {
  readonly title: string
  readonly path: string
  /** Its own contents, shown while the page is open. */
  readonly listAnchors?: () => readonly { readonly title: string; readonly id: string; readonly method?: string }[]
}

export interface EntryGroup {
  readonly title: string
  readonly entries: readonly Entry[]
}

/** A page without its frame. */
export interface Page {
  readonly path: string
  readonly title: string
  readonly description: string
  /** `reference` pages have a column of code. */
  readonly layout: 'reference' | 'guide'
  readonly content: HtmlValue
  /** The address of its Markdown. */
  readonly source?: string
}

/** The frame of every page. */
export interface Frame {
  readonly name: string
  readonly version: string
  readonly groups: readonly EntryGroup[]
  /** Paths of the other files. `search` is the index, whose URLs are relative to it. */
  readonly paths: Readonly<Record<'home' | 'search' | 'script' | 'style' | 'icon', string>> & {
    readonly download?: string
  }
}

/** A relative URL from one page to another path, so that the pages may be mounted anywhere. */
export function linkFrom(from: string, to: string): string {
  const folder = posix.relative(posix.dirname(from), posix.dirname(to))
  return folder === '' ? posix.basename(to) : `${folder}/${posix.basename(to)}`
}

/** The page with the operations of a group. */
export function toTagPath(name: string): string {
  return `docs/reference/${toSlug(name)}`
}

function renderEntry(page: Page, { title, path, listAnchors }: Entry): Html {
  const isOpen = path === page.path
  const anchors = isOpen ? (listAnchors?.() ?? []) : []
  const inside = anchors.length > 0
  return html`<li><a href="${linkFrom(page.path, path)}"${isOpen && html` aria-current="page"`}>${title}</a>${
    inside &&
    html`<ul>${anchors.map(
      ({ title: text, id, method }) =>
        html`<li><a href="#${id}">${text}${method !== undefined && html` <span class="method ${method.toLowerCase()}">${method}</span>`}</a></li>`,
    )}</ul>`
  }</li>`
}

function renderGroup(page: Page, { title, entries }: EntryGroup, isOnly: boolean): Html {
  const isOpen = isOnly || entries.some(({ path }) => path === page.path)
  return html`<details${isOpen && html` open`}><summary>${title}</summary><ul>${entries.map(entry => renderEntry(page, entry))}</ul></details>`
}

/** Returns null for a page that the contents don't name. */
function renderSteps(page: Page, groups: readonly EntryGroup[]): Html | null {
  const entries = groups.find(group => group.entries.some(({ path }) => path === page.path))?.entries ?? []
  const place = entries.findIndex(({ path }) => path === page.path)
  const before = entries[place - 1]
  const after = entries[place + 1]
  const step = (entry: Entry | undefined, word: string, rel: string): HtmlValue =>
    entry !== undefined &&
    html`<a rel="${rel}" href="${linkFrom(page.path, entry.path)}"><small>${word}</small>${entry.title}</a>`
  if (place < 0) return null
  return html`<nav class="steps" aria-label="Pages beside this one">${step(before, 'Before', 'prev')}${step(after, 'Next', 'next')}</nav>`
}

/** A whole page. The contents are a column, and on a phone a popover, which needs no script. */
export function renderPage({ name, version, groups, paths }: Frame, page: Page): string {
  const link = (path: string): string => linkFrom(page.path, path)
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${page.title} · ${name}</title><meta name="description" content="${page.description}"><meta name="color-scheme" content="light dark">
<link rel="icon" href="${link(paths.icon)}"><link rel="stylesheet" href="${link(paths.style)}"><script type="module" src="${link(paths.script)}"></script>${page.source !== undefined && html`<link rel="alternate" type="text/markdown" href="${link(page.source)}">`}</head>
<body class="${page.layout}" data-index="${link(paths.search)}"><a class="skip" href="#site-main">Skip to the content</a>
<header><button type="button" class="menu" popovertarget="site-contents">Contents</button><a class="home" href="${link(paths.home)}">${name} <small>${version}</small></a>
<button type="button" class="search" id="site-open-search" hidden><span>Search</span> <kbd>/</kbd></button>${paths.download !== undefined && html`<a class="download" href="${link(paths.download)}">openapi.json</a>`}</header>
<nav id="site-contents" popover aria-label="Contents">${groups.map(group => renderGroup(page, group, groups.length === 1))}</nav>
<main id="site-main" tabindex="-1">${page.content}${page.source !== undefined && html`<p class="source"><a href="${link(page.source)}">This page as Markdown</a></p>`}${renderSteps(page, groups)}</main>
<dialog id="site-search" aria-label="Search"><input type="search" role="combobox" aria-expanded="true" aria-controls="site-results" aria-autocomplete="list" aria-label="Search the documentation" placeholder="An operation, a field, a code, a word …" autocomplete="off" spellcheck="false"><ul id="site-results" role="listbox" aria-label="Results"></ul><p id="site-found" role="status"></p></dialog>
<p id="site-copied" role="status"></p></body></html>
`.text
}
