// @vitest-environment jsdom
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { renderedNodes } from './rendered'

const show = (html: string) => renderToStaticMarkup(<>{renderedNodes(html)}</>)

test('shows what an article may hold', () => {
  expect(show('<h2>A</h2>\n<p>b <strong>c</strong><br>d</p>')).toBe('<h2>A</h2>\n<p>b <strong>c</strong><br/>d</p>')
  expect(show('<a href="https://example.com">x</a>')).toBe('<a href="https://example.com" rel="noreferrer" target="_blank">x</a>')
})

test('leaves out everything else', () => {
  expect(show('<script>alert(1)</script><p onclick="x">a</p><style>p{}</style><iframe></iframe>')).toBe('<p>a</p>')
  expect(show('<a href="javascript:alert(1)">x</a>')).toBe('<a>x</a>')
  expect(show('<img src="https://example.com/a.png" alt="Bir resim">')).toBe('<em>Bir resim</em>')
})
