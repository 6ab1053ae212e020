// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { linked } from './links'

it('makes links of what is safe and leaves the rest as text', () => {
  const box = document.createElement('p')
  box.append(...linked('See https://example.com/a?b=1. <b>No</b> javascript:alert(1), write to ayse@kaya.example'))
  expect([...box.querySelectorAll('a')].map((a) => a.getAttribute('href'))).toEqual(['https://example.com/a?b=1', 'mailto:ayse@kaya.example'])
  expect(box.querySelector('a')?.rel).toContain('noopener')
  expect(box.textContent).toContain('<b>No</b> javascript:alert(1)')
})
