import { QueryClient, type InfiniteData } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import type { Page } from '@/api/query'
import { applyConversation } from './live'
import { noteTyping, typists } from './typing'

interface Row {
  id: string
  state: string
  unread: number
}

function setUp() {
  const client = new QueryClient()
  const row = (id: string): Row => ({ id, state: 'open', unread: 2 })
  const key = ['crm', 'conversations', 'list', 'list', { state: 'open' }]
  client.setQueryData(key, { pages: [{ data: [row('a')] }, { data: [row('b'), row('c')] }], pageParams: [] })
  const say = (type: string, state: string) =>
    applyConversation(client, type, JSON.stringify({ data: { object: { id: 'b', state, unread: 0, last_activity_at: '2026-11-15T12:00:00Z' } } }))
  const rows = () => client.getQueryData<InfiniteData<Page<Row>>>(key)?.pages.flatMap((page) => page.data) ?? []
  return { say, rows }
}

describe('applyConversation', () => {
  it('changes a row deep in the list and keeps its unread count', () => {
    const { say, rows } = setUp()
    say('conversation.updated', 'open')
    expect(rows()[1]).toMatchObject({ id: 'b', unread: 2, last_activity_at: '2026-11-15T12:00:00Z' })
  })

  it('removes a row that left the view', () => {
    const { say, rows } = setUp()
    say('conversation.closed', 'closed')
    expect(rows().map(({ id }) => id)).toEqual(['a', 'c'])
  })

  it.each([
    ['owner_id', { owner_id: 'none' }, { owner_id: 'can' }],
    ['group_id', { group_id: 'g' }, { group_id: null }],
    ['priority', { priority: 'high' }, { priority: 'normal' }],
    ['tag', { tag: 'vip' }, { tags: ['bayi'] }],
  ])('takes out what a list by %s no longer asks for, and keeps what it does', (_, filter, now) => {
    const client = new QueryClient()
    const key = ['crm', 'conversations', 'list', 'list', filter]
    const fields = { state: 'open', owner_id: null, group_id: 'g', priority: 'high', tags: ['vip'], last_activity_at: '2026-11-15T12:00:00Z' }
    client.setQueryData(key, { pages: [{ data: [{ id: 'a', ...fields }, { id: 'b', ...fields }] }], pageParams: [] })
    const ids = () => client.getQueryData<InfiniteData<Page<Row>>>(key)?.pages.flatMap((page) => page.data.map(({ id }) => id))
    applyConversation(client, 'conversation.updated', JSON.stringify({ data: { object: { id: 'a', ...fields } } }))
    expect(ids()).toEqual(['a', 'b'])
    applyConversation(client, 'conversation.updated', JSON.stringify({ data: { object: { id: 'a', ...fields, ...now } } }))
    expect(ids()).toEqual(['b'])
  })

  it('ends the typing indicator of the message’s author, and nobody else’s', () => {
    const nobody = '00000000-0000-0000-0000-000000000000'
    for (const author of ['elif', 'can', nobody]) noteTyping(JSON.stringify({ data: { conversation_id: 'c', author_id: author, author_kind: 'agent', typing: true } }))
    const come = (type: string, author: string | null) =>
      applyConversation(new QueryClient(), type, JSON.stringify({ data: { item: { id: 'new', conversation_id: 'c', author_id: author } } }))
    const writing = () => typists.get().map(({ authorId }) => authorId)
    come('conversation.item_changed', 'elif')
    expect(writing()).toEqual(['elif', 'can', nobody])
    come('conversation.replied', 'elif')
    expect(writing()).toEqual(['can', nobody])
    come('conversation.replied', null)
    come('conversation.noted', 'can')
    expect(writing()).toEqual([])
  })

  it('changes a message that was read long ago', () => {
    const client = new QueryClient()
    const key = ['crm', 'conversations', 'items', 'c']
    client.setQueryData(key, { pages: [{ data: [{ id: 'new' }] }, { data: [{ id: 'old', body: 'before' }] }], pageParams: [] })
    applyConversation(client, 'conversation.item_changed', JSON.stringify({ data: { item: { id: 'old', conversation_id: 'c', body: 'after' } } }))
    expect(client.getQueryData<InfiniteData<Page<{ id: string }>>>(key)?.pages[1]?.data).toMatchObject([{ id: 'old', body: 'after' }])
  })

  it('removes a deleted conversation, whatever its state', () => {
    const { say, rows } = setUp()
    say('conversation.deleted', 'open')
    expect(rows().map(({ id }) => id)).toEqual(['a', 'c'])
  })
})
