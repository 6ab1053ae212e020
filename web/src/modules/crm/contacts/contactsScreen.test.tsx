// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { beforeEach, expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { Tooltips } from '@/ui/Tooltip'
import { answers, prepareInbox, show } from '../inbox/testInbox'
import { ContactsScreen } from './ContactsScreen'

prepareInbox()

const person = { kind: 'lead', company: '', emails: [], phones: [], identities: [], tags: [], blocked: false, created_at: '2026-11-15T09:30:00Z' }

beforeEach(async () => {
  await withTexts(() => Promise.resolve(null), 'contacts')()
  answers.set('GET /api/crm/v1/contacts', [
    { ...person, id: 'k1', name: 'Elif', tags: ['a', 'b', 'c', 'kargo', 'toptan'] },
    { ...person, id: 'k2', name: 'Deniz', identities: [{ channel: 'telegram', channel_account_id: 'a1', external_id: '7', username: 'deniz_7' }] },
    { ...person, id: 'k3', name: 'Can', identities: [{ channel: 'messenger', channel_account_id: 'a2', external_id: '9', username: '' }] },
    { ...person, id: 'k4', name: 'Ada', phones: [{ e164: '+905321234567', primary: true }], identities: [{ channel: 'whatsapp', channel_account_id: 'a3', external_id: '905321234567', username: '' }] },
  ])
  await show(
    <>
      <ContactsScreen />
      <Tooltips />
    </>,
  )
})

const rowOf = async (name: string) => within((await screen.findByRole('link', { name })).closest('tr, li') as HTMLElement)

it('tells the tags for which a row has no place, to the pointer and to the keyboard', async () => {
  const more = (await rowOf('Elif')).getByText('+2').closest<HTMLElement>('[data-tip]')
  expect(more?.getAttribute('tabindex')).toBe('0')
  await userEvent.hover(more as HTMLElement)
  // Once for screen readers, and once in the tip.
  await waitFor(() => expect(screen.getAllByText('kargo, toptan')).toHaveLength(2))
})

it('shows the channel of a contact of whom nothing else is known', async () => {
  const deniz = await rowOf('Deniz')
  expect(deniz.getByText('deniz_7')).toBeTruthy()
  expect(deniz.getByRole('img', { name: 'Telegram' })).toBeTruthy()
  expect((await rowOf('Can')).getByText('Messenger')).toBeTruthy()
  expect((await rowOf('Ada')).queryByText('WhatsApp')).toBeNull()
})
