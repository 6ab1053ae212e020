// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { searchBox } from './search'

const words = { find: 'Search', found: (n: number) => `${n} found`, nothing: 'Nothing' }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function type(box: HTMLElement, text: string): void {
  const input = box.querySelector('input')
  if (!input) throw new Error('no field')
  input.value = text
  input.dispatchEvent(new Event('input'))
}

test('asks once a visitor pauses, and shows titles as text', async () => {
  const find = vi.fn((text: string) => Promise.resolve([{ title: `<b>${text}`, snippet: '', url: 'https://ada.help.example/tr' }]))
  const box = searchBox(words, find)
  type(box, 'ka')
  type(box, 'kargo')
  await vi.advanceTimersByTimeAsync(300)
  expect(find.mock.calls).toEqual([['kargo']])
  expect(box.querySelector('a')?.textContent).toBe('<b>kargo')
  expect(box.querySelector('[role=status]')?.textContent).toBe('1 found')
  type(box, 'k')
  await vi.advanceTimersByTimeAsync(300)
  expect(box.querySelectorAll('a').length).toBe(0)
})

test('a late answer does not replace a newer one', async () => {
  const answers: ((titles: string[]) => void)[] = []
  const box = searchBox(words, () => new Promise((done) => answers.push((titles) => done(titles.map((title) => ({ title, snippet: '', url: '' }))))))
  type(box, 'first')
  await vi.advanceTimersByTimeAsync(300)
  type(box, 'second')
  await vi.advanceTimersByTimeAsync(300)
  answers[1]?.(['new'])
  answers[0]?.(['old'])
  await vi.advanceTimersByTimeAsync(0)
  expect(box.querySelector('a')?.textContent).toBe('new')
})

test('a search that fails finds nothing', async () => {
  const box = searchBox(words, () => Promise.reject(new Error('offline')))
  type(box, 'kargo')
  await vi.advanceTimersByTimeAsync(300)
  expect(box.querySelector('[role=status]')?.textContent).toBe('Nothing')
})
