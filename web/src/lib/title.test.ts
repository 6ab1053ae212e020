import { afterEach, expect, it, vi } from 'vitest'
import { setPageTitle, setWaitingInTitle } from './title'

afterEach(() => vi.unstubAllGlobals())

it('names the page with the number of waiting customers before it, whichever is set first', () => {
  const page = { title: '' }
  vi.stubGlobal('document', page)
  setPageTitle('Inbox')
  expect(page.title).toBe('Inbox · Konak')
  setWaitingInTitle(3)
  expect(page.title).toBe('(3) Inbox · Konak')
  setPageTitle('Contacts')
  expect(page.title).toBe('(3) Contacts · Konak')
  setWaitingInTitle(0)
  expect(page.title).toBe('Contacts · Konak')
})
