import type { Article } from './client'
import { el } from './element'

const settles = 250

interface Words {
  find: string
  found: (n: number) => string
  nothing: string
}

/**
 * A search box for help articles, so that questions are answered before a person must; the results
 * link to the articles' own pages.
 */
export function searchBox(words: Words, find: (text: string) => Promise<Article[]>): HTMLElement {
  const input = el('input', { type: 'search', maxlength: '200', 'aria-label': words.find, placeholder: words.find })
  const said = el('p', { class: 'found', role: 'status' })
  const list = el('ul')
  const box = el('form', { class: 'find', role: 'search' }, input, said, list)
  let asked = 0
  let timer = 0

  async function ask(): Promise<void> {
    const turn = ++asked
    const text = input.value.trim()
    // A failed search returns no articles: the visitor can still write.
    const hits = text.length < 2 ? [] : await find(text).catch(() => [])
    if (turn !== asked) return
    list.replaceChildren(...hits.map((hit) => el('li', {}, el('a', { href: hit.url, target: '_blank', rel: 'noopener' }, hit.title))))
    said.textContent = text.length < 2 ? '' : hits.length > 0 ? words.found(hits.length) : words.nothing
  }

  input.oninput = () => {
    clearTimeout(timer)
    timer = window.setTimeout(() => void ask(), settles)
  }
  box.onsubmit = (event) => {
    event.preventDefault()
    clearTimeout(timer)
    void ask()
  }
  return box
}
