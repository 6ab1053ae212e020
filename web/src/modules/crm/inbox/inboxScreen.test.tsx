// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { activeShortcuts, startShortcuts } from '@/shell/shortcuts'
import { crmModule } from '../module'
import { InboxScreen } from './InboxScreen'
import { addresses, answers, asked, conversation, prepareInbox, show } from './testInbox'

prepareInbox()
startShortcuts()

// Focusing a field ends the holding of keys that a test started by opening a layer.
afterEach(() => {
  const field = document.body.appendChild(document.createElement('input'))
  field.focus()
  field.remove()
})

const base = '/api/crm/v1/conversations'
const counted = { open: 2, snoozed: 1, closed: 0, waiting: 0 }
const until = '2099-01-02T09:00:00Z'
const asleep = { ...conversation, id: 'c2', state: 'snoozed', snoozed_until: until, contact_name: 'Bora Ak' }
const view = { id: 'v1', name: 'Urgent', shared: false, owner_id: 'm1', filter: { state: 'open', tag: 'iade', sort: '-last_activity' }, created_at: until, updated_at: until }

beforeEach(() => {
  HTMLElement.prototype.checkVisibility = () => false
  HTMLElement.prototype.hidePopover = () => undefined
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 720 })
  answers.set(`GET ${base}/counts`, { all: counted, mine: counted, unassigned: counted, unread: 0, mentions: 0, groups: [], channels: [] })
  answers.set(`GET ${base}`, [conversation, asleep])
  for (const one of [conversation, asleep]) {
    const path = `GET ${base}/${one.id}`
    answers.set(path, one)
    answers.set(`${path}/participants`, { agents: [], contacts: [] })
    answers.set(`${path}/ai-state`, { state: 'off', answers: 0 })
    answers.set(`${path}/summary`, { available: false, summary: '' })
    answers.set(`${path}/commerce`, { licensed: false })
    answers.set(`GET /api/crm/v1/channels/widget/visitors/${one.id}`, { page: '', origin: 'https://shop.example', browser: '', language: 'tr' })
  }
})

/**
 * Opens a menu and presses an entry. This browser has no popovers, so their event is dispatched by
 * hand.
 */
async function choose(menu: string, entry: string) {
  const trigger = await screen.findByRole('button', { name: menu })
  const box = document.getElementById(trigger.getAttribute('popovertarget') ?? '') as HTMLElement
  fireEvent(box, Object.assign(new Event('beforetoggle'), { newState: 'open' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: entry, hidden: true }))
}

function bodies(path: string): unknown[] {
  return asked.filter((one) => `${one.method} ${one.path}` === path).map(({ body }) => body)
}

describe('shortcuts', () => {
  it('are unique while a conversation is open', async () => {
    await show(<InboxScreen />, { at: '?c=c1', permissions: ['crm.macros.use'] })
    await screen.findByRole('textbox', { name: 'Reply' })
    const keys = activeShortcuts.get().map((shortcut) => shortcut.keys)
    expect(keys.length).toBeGreaterThan(12)
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
    // The shell's own keys, and the first key of its sequences.
    for (const taken of ['mod+k', '?', 'g']) expect(keys).not.toContain(taken)
  })

  it('move the focus to the messages, and a tap does not', async () => {
    answers.set(`GET ${base}`, [conversation])
    await show(<InboxScreen />)
    await screen.findByRole('link', { name: new RegExp(conversation.contact_name) })
    await userEvent.keyboard('j')
    const messages = await screen.findByRole('group', { name: 'Messages' })
    await waitFor(() => expect(document.activeElement).toBe(messages))
    cleanup()
    await userEvent.click(document.body)
    await show(<InboxScreen />, { at: '?c=c1' })
    await screen.findByRole('group', { name: 'Messages' })
    expect(document.activeElement).toBe(document.body)
  })

  it('are not registered for actions without permission', async () => {
    await show(<InboxScreen />, { at: '?c=c1', lacking: ['crm.conversations.assign', 'crm.conversations.manage'] })
    await screen.findByRole('textbox', { name: 'Reply' })
    const keys = activeShortcuts.get().map((shortcut) => shortcut.keys)
    expect(keys).toContain('r')
    for (const key of ['a', 't', 's', 'e']) expect(keys).not.toContain(key)
  })

  it.each([
    ['c1', 'open', ['e']],
    ['c2', 'snoozed', ['e', 'o']],
    ['c1', 'closed', ['o']],
  ])('of %s, which is %s, are those that change its state', async (id, state, want) => {
    answers.set(`GET ${base}/${id}`, { ...conversation, id, state })
    await show(<InboxScreen />, { at: `?c=${id}` })
    await screen.findByRole('textbox', { name: 'Reply' })
    const keys = activeShortcuts.get().map((shortcut) => shortcut.keys)
    expect(['e', 'o'].filter((key) => keys.includes(key))).toEqual(want)
  })

  it.each([
    ['a', 'Owner'],
    ['t', 'Tags'],
  ])('%s opens the details and the picker of “%s” where there is no room beside the messages', async (key, name) => {
    await show(<InboxScreen />, { at: '?c=c1' })
    await screen.findByRole('textbox', { name: 'Reply' })
    await userEvent.keyboard(key)
    const drawer = await screen.findByRole('dialog', { name: 'Details' })
    await waitFor(() => expect(within(drawer).getByRole('combobox', { name, expanded: true })).toBeTruthy())
  })
})

describe('what is unread', () => {
  const read = `POST ${base}/c1/read`
  const unread = { ...conversation, owner_id: 'm1', unread: 2 }
  const sight = (state: DocumentVisibilityState) => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
    window.dispatchEvent(new Event('visibilitychange'))
  }
  afterEach(() => sight('visible'))

  it('is read when it was read in another window or on another device, and the numbers are asked for again', async () => {
    answers.set(`GET ${base}`, [unread])
    const client = await show(<InboxScreen />)
    await screen.findByText('2 unread messages')
    const counts = () => bodies(`GET ${base}/counts`).length
    const before = counts()
    crmModule.apply?.(client, { id: null, type: 'conversation.read', data: JSON.stringify({ data: { conversation_id: 'c1', unread: 0 } }) })
    await waitFor(() => expect(screen.queryByText('2 unread messages')).toBeNull())
    await waitFor(() => expect(counts()).toBe(before + 1))
  })

  it('is read at once in the window where it is read', async () => {
    answers.set(`GET ${base}`, [unread])
    answers.set(`GET ${base}/c1`, unread)
    answers.set(read, { id: 'c1', unread: 0, badge: 0 })
    await show(<InboxScreen />, { at: '?c=c1' })
    await waitFor(() => expect(bodies(read)).toHaveLength(1))
    await waitFor(() => expect(screen.queryByText('2 unread messages')).toBeNull())
  })

  it('is marked as read when it becomes unread for somebody who looks at it', async () => {
    answers.set(read, { id: 'c1', unread: 0, badge: 0 })
    await show(<InboxScreen />, { at: '?c=c1' })
    await screen.findByRole('textbox', { name: 'Reply' })
    expect(bodies(read)).toHaveLength(0)
    answers.set(`GET ${base}/c1`, unread)
    sight('visible') // refetches
    await waitFor(() => expect(bodies(read)).toHaveLength(1))
  })

  it('is read when the window is in sight again', async () => {
    answers.set(`GET ${base}/c1`, unread)
    answers.set(read, { id: 'c1', unread: 0, badge: 0 })
    sight('hidden')
    await show(<InboxScreen />, { at: '?c=c1' })
    await screen.findByRole('textbox', { name: 'Reply' })
    expect(bodies(read)).toHaveLength(0)
    sight('visible')
    await waitFor(() => expect(bodies(read)).toHaveLength(1))
  })
})

describe('closing twice at once', () => {
  it('closes one conversation, and the next only when it has been there for a moment', async () => {
    let now = Date.now()
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now)
    const next = { ...conversation, id: 'c2', contact_name: 'Bora Ak' }
    answers.set(`GET ${base}`, [conversation, next])
    answers.set(`GET ${base}/c2`, next)
    let close: (conversation: unknown) => void = () => undefined
    answers.set(`POST ${base}/c1/close`, new Promise((resolve) => (close = resolve)))
    answers.set(`POST ${base}/c2/close`, { ...next, state: 'closed' })
    await show(<InboxScreen />, { at: '?c=c1' })
    await userEvent.dblClick(within(await screen.findByRole('region', { name: /Elif Kaya/ })).getByRole('button', { name: /^Close/ }))
    close({ ...conversation, state: 'closed' })
    await screen.findByRole('region', { name: /Bora Ak/ })
    await userEvent.keyboard('e')
    now += 700
    expect(bodies(`POST ${base}/c1/close`)).toHaveLength(1)
    expect(bodies(`POST ${base}/c2/close`)).toHaveLength(0)
    await userEvent.keyboard('e')
    await waitFor(() => expect(bodies(`POST ${base}/c2/close`)).toHaveLength(1))
    clock.mockRestore()
    for (const told of await screen.findAllByRole('status', { name: '' })) for (const button of within(told).queryAllByRole('button', { name: 'Close' })) await userEvent.click(button)
  })
})

describe('what is typed after the key of a reply or a note', () => {
  it.each([
    ['r', 'Reply', 'n', 'Note'],
    ['n', 'Note', 'r', 'Reply'],
  ])('%s: while the conversation loads, stands in the %s and does nothing else', async (key, name, other, otherName) => {
    answers.set(`POST ${base}/c1/close`, { ...conversation, state: 'closed' })
    let arrive: (conversation: unknown) => void = () => undefined
    answers.set(`GET ${base}/c1`, new Promise((resolve) => (arrive = resolve)))
    await show(<InboxScreen />, { at: '?c=c1' })
    await screen.findByRole('checkbox', { name: /Elif Kaya/ })
    await userEvent.keyboard(`${key}ele`)
    arrive(conversation)
    const area = await screen.findByRole<HTMLTextAreaElement>('textbox', { name })
    await waitFor(() => expect(area.value).toBe('ele'))
    expect(document.activeElement).toBe(area)
    expect(bodies(`POST ${base}/c1/close`)).toEqual([])
    area.blur()
    await userEvent.keyboard(other)
    await waitFor(() => expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: otherName }).value).toBe(''))
  })
})

describe('Undo', () => {
  it('gives a closed conversation its snooze again', async () => {
    answers.set(`POST ${base}/c2/close`, { ...asleep, state: 'closed', snoozed_until: null })
    answers.set(`POST ${base}/c2/snooze`, asleep)
    await show(<InboxScreen />, { at: '?c=c2' })
    await screen.findByRole('textbox', { name: 'Reply' })
    await userEvent.keyboard('e')
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(bodies(`POST ${base}/c2/snooze`)).toEqual([{ until }]))
    expect(bodies(`POST ${base}/c2/open`)).toEqual([])
  })

  it('gives it again after a macro that closes, too', async () => {
    const macro = { id: 'x1', name: 'Done', description: '', actions: [{ type: 'add_tags', tags: ['iade'] }, { type: 'close' }] }
    answers.set('GET /api/crm/v1/macros', [macro])
    answers.set('GET /api/crm/v1/macros/x1', macro)
    answers.set(`POST ${base}/c2/macros/x1`, { conversation: { ...asleep, state: 'closed' }, items: [], scheduled: [] })
    answers.set(`POST ${base}/c2/snooze`, asleep)
    await show(<InboxScreen />, { at: '?c=c2', permissions: ['crm.macros.use'] })
    await choose('Run a macro', 'Done')
    await userEvent.click(await screen.findByRole('button', { name: 'Run' }))
    // It says what undoing does not restore.
    expect(await screen.findByText(/Undo only brings back the conversation’s state/)).toBeTruthy()
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(bodies(`POST ${base}/c2/snooze`)).toEqual([{ until }]))
  })

  it.each([
    [{ until_reply: true }, 'When the customer writes'],
    [{ minutes: 1440 }, 'One day'],
    [{ minutes: 90 }, '90 minutes'],
  ])('says before a macro runs until when it snoozes: %j', async (span, said) => {
    const macro = { id: 'x1', name: 'Wait', description: '', actions: [{ type: 'snooze', ...span }] }
    answers.set('GET /api/crm/v1/macros', [macro])
    answers.set('GET /api/crm/v1/macros/x1', macro)
    await show(<InboxScreen />, { at: '?c=c2', permissions: ['crm.macros.use'] })
    await choose('Run a macro', 'Wait')
    expect((await screen.findByRole('list', { name: 'What it does, in this order' })).textContent).toContain(said)
  })

  it('takes back the answer of a macro, and the closing that waits with it', async () => {
    const macro = { id: 'x1', name: 'Solved', description: '', actions: [{ type: 'reply', body: 'Done' }, { type: 'priority', priority: 'low' }, { type: 'close' }] }
    answers.set('GET /api/crm/v1/macros', [macro])
    answers.set('GET /api/crm/v1/macros/x1', macro)
    const waits = { id: 's1', conversation_id: 'c1', body: 'Done', attachments: [], then: { state: 'closed' }, send_at: until, created_at: until }
    answers.set(`POST ${base}/c1/macros/x1`, { conversation, items: [], scheduled: [waits] })
    answers.set(`DELETE ${base}/c1/scheduled/s1`, { ...waits, state: 'cancelled' })
    await show(<InboxScreen />, { at: '?c=c1', permissions: ['crm.macros.use'] })
    await choose('Run a macro', 'Solved')
    await userEvent.click(await screen.findByRole('button', { name: 'Run' }))
    expect(await screen.findByText(/Undo takes back its reply and the conversation’s state/)).toBeTruthy()
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(bodies(`DELETE ${base}/c1/scheduled/s1`)).toHaveLength(1))
    expect(bodies(`POST ${base}/c1/open`)).toEqual([])
  })

  it('opens a snoozed conversation again', async () => {
    answers.set(`POST ${base}/c1/snooze`, { ...conversation, state: 'snoozed', snoozed_until: until })
    answers.set(`POST ${base}/c1/open`, conversation)
    await show(<InboxScreen />, { at: '?c=c1' })
    await screen.findByRole('textbox', { name: 'Reply' })
    await userEvent.keyboard('s')
    await userEvent.click(await screen.findByRole('button', { name: /Tomorrow/ }))
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(bodies(`POST ${base}/c1/open`)).toHaveLength(1))
  })

  it('brings a deleted conversation back', async () => {
    answers.set(`DELETE ${base}/c1`, { id: 'c1', deleted: true })
    answers.set(`POST ${base}/c1/restore`, conversation)
    await show(<InboxScreen />, { at: '?c=c1', permissions: ['crm.conversations.delete'] })
    await choose('More actions on the conversation', 'Delete')
    await userEvent.click(await screen.findByRole('button', { name: 'Delete the conversation' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(bodies(`POST ${base}/c1/restore`)).toHaveLength(1))
  })

  it('brings every one of several closed conversations back to its own state', async () => {
    const done = ['c1', 'c2'].map((id) => ({ id, ok: true, state: 'closed', error: null }))
    answers.set(`POST ${base}/state`, done)
    await show(<InboxScreen />)
    await userEvent.click(await screen.findByRole('checkbox', { name: /Elif Kaya/ }))
    await userEvent.click(screen.getByRole('checkbox', { name: /Bora Ak/ }))
    await userEvent.click(within(await screen.findByRole('toolbar', { name: 'Selected conversations' })).getByRole('button', { name: 'Close' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() =>
      expect(bodies(`POST ${base}/state`)).toEqual([
        { ids: ['c1', 'c2'], state: 'closed' },
        { ids: ['c1'], state: 'open' },
        { ids: ['c2'], state: 'snoozed', until },
      ]),
    )
  })
})

describe('search and filters', () => {
  it('are combined', async () => {
    await show(<InboxScreen />, { at: '?q=koltuk&tag=iade&owner=me&state=closed' })
    await waitFor(() => expect(addresses.some(({ pathname }) => pathname === `${base}/search`)).toBe(true))
    const { searchParams } = addresses.find(({ pathname }) => pathname === `${base}/search`) as URL
    expect(Object.fromEntries(searchParams)).toMatchObject({ q: 'koltuk', tag: 'iade', owner_id: 'me', state: 'closed' })
    expect(await screen.findByRole('list', { name: 'Active filters' })).toBeTruthy()
  })

  it('suggest every tag of the workspace', async () => {
    answers.set(`GET ${base}/tags`, ['kargo', 'acil'])
    await show(<InboxScreen />)
    await userEvent.click(await screen.findByRole('button', { name: 'Filter and sort' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Filter and sort' }))
    await userEvent.click(dialog.getByRole('combobox', { name: 'Tag' }))
    await userEvent.click(await screen.findByRole('option', { name: 'kargo' }))
    await userEvent.click(dialog.getByRole('button', { name: 'Apply' }))
    await waitFor(() => expect(addresses.some(({ pathname, searchParams }) => pathname === base && searchParams.get('tag') === 'kargo')).toBe(true))
  })
})

describe('a saved view', () => {
  async function change(shared: boolean, permissions: string[] = []) {
    answers.set('GET /api/crm/v1/views', [{ ...view, shared }])
    answers.set('PUT /api/crm/v1/views/v1', view)
    await show(<InboxScreen />, { at: '?saved=v1', permissions })
    await screen.findByRole('button', { name: /View:\s*Urgent/ })
  }

  it('is renamed and gets other filters', async () => {
    await change(false)
    await choose('Actions on the view Urgent', 'Edit the view')
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit the view' }))
    // People who may not share a view are not asked.
    expect(dialog.queryByRole('checkbox', { name: /whole team/ })).toBeNull()
    const name = dialog.getByRole('textbox', { name: 'Name of the view' })
    await userEvent.clear(name)
    await userEvent.type(name, 'Returns')
    await userEvent.click(dialog.getByRole('combobox', { name: 'Priority' }))
    await userEvent.click(await screen.findByRole('option', { name: 'High' }))
    await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(bodies('PUT /api/crm/v1/views/v1')).toEqual([{ name: 'Returns', shared: false, filter: { state: 'open', tag: 'iade', priority: 'high', sort: '-last_activity' } }]),
    )
  })

  it('that is shared is changed only with the permission', async () => {
    await change(false)
    // The person's own view can be changed, which also proves that the actions are loaded.
    expect(await screen.findByRole('button', { name: 'Actions on the view Urgent' })).toBeTruthy()
    cleanup()
    await change(true)
    expect(screen.queryByRole('button', { name: 'Actions on the view Urgent' })).toBeNull()
  })

  it('that is shared stays shared when a permitted person changes it', async () => {
    await change(true, ['crm.views.manage'])
    await choose('Actions on the view Urgent', 'Edit the view')
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit the view' }))
    expect(dialog.getByRole<HTMLInputElement>('checkbox', { name: /whole team/ }).checked).toBe(true)
    await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(bodies('PUT /api/crm/v1/views/v1')).toMatchObject([{ shared: true }]))
  })
})

describe('a row that leaves', () => {
  it('is seen to collapse, and not by those who want no motion', async () => {
    for (const reduced of [false, true]) {
      vi.stubGlobal('matchMedia', () => ({ matches: reduced }))
      answers.set(`GET ${base}`, [conversation, asleep])
      answers.set(`POST ${base}/c1/close`, { ...conversation, state: 'closed' })
      await show(<InboxScreen />, { at: '?c=c1' })
      await screen.findAllByRole('textbox', { name: 'Reply' })
      answers.set(`GET ${base}`, [asleep])
      const seen = vi.fn()
      const watch = new MutationObserver(() => document.querySelector('li[inert]') && seen())
      watch.observe(document.body, { childList: true, subtree: true })
      await userEvent.keyboard('e')
      await waitFor(() => expect(screen.queryByRole('checkbox', { name: /Elif Kaya/ })).toBeNull())
      watch.disconnect()
      expect(seen.mock.calls.length > 0).toBe(!reduced)
      await waitFor(() => expect(document.querySelector('li[inert]')).toBeNull())
      cleanup()
    }
  })
})
