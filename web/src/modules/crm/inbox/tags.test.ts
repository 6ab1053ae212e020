import { afterEach, describe, expect, it, vi } from 'vitest'
import '@/api/testOrigin'
import { perform } from './conversations'

interface BulkTags {
  ids: string[]
  tags: string[]
}

/** A server that stores one conversation's tags, and answers as the real one does. */
function startServer(tags: Set<string>): void {
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/api/crm/v1/conversations/c1') return Response.json({ data: { id: 'c1', tags: [...tags] }, trace_id: 't' })
    const { ids, tags: named } = (await request.json()) as BulkTags
    if (pathname.endsWith('/tags/add')) for (const tag of named) tags.add(tag)
    else if (pathname.endsWith('/tags/remove')) for (const tag of named) tags.delete(tag)
    else return Response.json({ error: { code: 'not_found', message: pathname } }, { status: 404 })
    return Response.json({ data: ids.map((id) => (id === 'c1' ? { id, ok: true, error: null } : { id, ok: false, error: 'not_found' })), trace_id: 't' })
  })
}

afterEach(() => vi.unstubAllGlobals())

describe('a tag', () => {
  it('comes and goes without touching what another agent tagged', async () => {
    const tags = new Set(['refund'])
    startServer(tags)
    tags.add('urgent') // by another agent; this panel does not know it yet
    expect((await perform('c1', { do: 'tag', tag: 'shipping' })).data.tags).toEqual(['refund', 'urgent', 'shipping'])
    tags.add('vip')
    expect((await perform('c1', { do: 'untag', tag: 'refund' })).data.tags).toEqual(['urgent', 'shipping', 'vip'])
  })

  it('fails aloud where the conversation is gone', async () => {
    startServer(new Set())
    await expect(perform('c2', { do: 'tag', tag: 'shipping' })).rejects.toMatchObject({ code: 'not_found' })
  })
})
