import { QueryClient, type InfiniteData } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import type { Page } from '@/api/query'
import { applyConversation } from './live'

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
  it('changes a row deep in the list and leaves what is unread to its reader', () => {
    const { say, rows } = setUp()
    say('conversation.updated', 'open')
    expect(rows()[1]).toMatchObject({ id: 'b', unread: 2, last_activity_at: '2026-11-15T12:00:00Z' })
  })

  it('takes out what left the view', () => {
    const { say, rows } = setUp()
    say('conversation.closed', 'closed')
    expect(rows().map(({ id }) => id)).toEqual(['a', 'c'])
  })

  it('takes out what was deleted, whatever its state', () => {
    const { say, rows } = setUp()
    say('conversation.deleted', 'open')
    expect(rows().map(({ id }) => id)).toEqual(['a', 'c'])
  })
})
