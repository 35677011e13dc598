import test from 'ava'
import { renderMarkdown } from '../markdown.ts'

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}

test('HTML in Markdown is text, and a missing page is no link', t => {
  const { content } = renderMarkdown(
    '# A\n\n<img src=x onerror=1> [b](b.md) ![c](c.svg)\n\n<script>1</script>\n',
    target => (target === 'c.svg' ? 'c' : null),
  )
  t.is(countOf(content.text, '<script'), 0)
  t.is(countOf(content.text, '<img'), 1)
  t.is(countOf(content.text, '<a href'), 1, 'the heading alone')
})
