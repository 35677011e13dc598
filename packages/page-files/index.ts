export { type KnownChart, knownCharts } from './chart/known_charts.ts'
export { type Assets, openAssets } from './serve/assets.ts'
export { escapeHtml, Html, type HtmlValue, html } from './serve/html.ts'
export { toBrowserModule } from './serve/modules.ts'
