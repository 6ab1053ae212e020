import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { beforeSignOut, runBeforeSignOut } from '@/lib/beforeSignOut'
import { forgetAll } from '@/lib/storage'
import type { OneConversation } from './conversations'
import { createDraftSaver, emptyDraft, findDraft, localDraftKey, modeToOpen, recallDraft, rememberDraft, rememberSent, wasSent, type DraftContent } from './drafts'

function memory(): Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'> {
  const entries = new Map<string, string>()
  return {
    get length() {
      return entries.size
    },
    key: (at) => [...entries.keys()][at] ?? null,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
  }
}

const written = (body: string): DraftContent => ({ ...emptyDraft, body })
const conversation = (...drafts: [type: 'comment' | 'note', body: string][]) =>
  ({ id: 'c1', drafts: drafts.map(([message_type, body]) => ({ message_type, body, attachments: [], updated_at: '2026-01-01T00:00:00Z' })) }) as unknown as OneConversation

beforeEach(() => {
  vi.stubGlobal('localStorage', memory())
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a draft in this browser', () => {
  it('belongs to one person, conversation and mode', () => {
    rememberDraft(localDraftKey('defne', 'c1', 'note'), written('Do not refund'))
    expect(findDraft(conversation(), 'defne', 'm', 'note')?.body).toBe('Do not refund')
    expect(findDraft(conversation(), 'defne', 'm', 'reply')).toBeNull()
    expect(findDraft(conversation(), 'can', 'm', 'note')).toBeNull()
    expect(recallDraft(localDraftKey('defne', 'c2', 'note'))).toBeNull()
  })

  it('takes precedence over the server’s, and the server’s note is not used as a reply', () => {
    const both = conversation(['note', 'From the phone'])
    expect(findDraft(both, 'defne', 'm', 'reply')).toBeNull()
    expect(findDraft(both, 'defne', 'm', 'note')?.body).toBe('From the phone')
    rememberDraft(localDraftKey('defne', 'c1', 'note'), written('Newer'))
    expect(findDraft(both, 'defne', 'm', 'note')?.body).toBe('Newer')
  })

  it('is removed with its person’s drafts, and only with theirs', () => {
    rememberDraft(localDraftKey('defne', 'c1', 'note'), written('a'))
    rememberDraft(localDraftKey('can', 'c1', 'note'), written('b'))
    forgetAll('draft.defne.')
    expect(recallDraft(localDraftKey('defne', 'c1', 'note'))).toBeNull()
    expect(recallDraft(localDraftKey('can', 'c1', 'note'))?.body).toBe('b')
  })

  it('is absent when it is empty or invalid', () => {
    const key = localDraftKey('defne', 'c1', 'reply')
    rememberDraft(key, written('a'))
    rememberDraft(key, written(' '))
    expect(recallDraft(key)).toBeNull()
    localStorage.setItem(`konak.${key}`, '{"body":1}')
    expect(recallDraft(key)).toBeNull()
  })

  it('opens in the mode that was written last', () => {
    const at = (minute: number) => ({ ...emptyDraft, at: `2026-01-01T00:0${String(minute)}:00Z` })
    expect(modeToOpen(null, null)).toBe('reply')
    expect(modeToOpen(null, at(1))).toBe('note')
    expect(modeToOpen(at(2), at(1))).toBe('reply')
    expect(modeToOpen(at(1), at(2))).toBe('note')
  })
})

describe('a draft that was sent', () => {
  const key = localDraftKey('defne', 'c1', 'reply')

  it('is recognised by every window that has not changed it since', () => {
    rememberSent('defne', key, written('On its way '), 100)
    expect(wasSent('defne', key, written('On its way'), 100)).toBe(true)
    expect(wasSent('defne', key, written('On its way'), 101)).toBe(false)
    expect(wasSent('defne', key, written('On its way!'), 1)).toBe(false)
    expect(wasSent('defne', localDraftKey('defne', 'c1', 'note'), written('On its way'), 1)).toBe(false)
    expect(wasSent('can', key, written('On its way'), 1)).toBe(false)
  })

  it('is remembered for the last few, and until its person signs out', () => {
    rememberSent('defne', key, written('first'), 1)
    for (let at = 0; at < 20; at += 1) rememberSent('defne', key, written(`later ${String(at)}`), 2)
    expect(wasSent('defne', key, written('first'), 0)).toBe(false)
    expect(wasSent('defne', key, written('later 19'), 0)).toBe(true)
    forgetAll('draft.defne.')
    expect(wasSent('defne', key, written('later 19'), 0)).toBe(false)
  })
})

describe('the server’s copy', () => {
  it('is written after a pause, once, with the newest text', async () => {
    const save = vi.fn(() => Promise.resolve())
    const saver = createDraftSaver(save, emptyDraft)
    saver.change(emptyDraft)
    saver.change(written('a'))
    saver.change(written('ab'))
    await vi.runAllTimersAsync()
    expect(save.mock.calls).toEqual([[written('ab')]])
  })

  it('is not brought back by a save that was under way while the message was sent', async () => {
    let finish: () => void = () => undefined
    const save = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)))
    const saver = createDraftSaver(save, emptyDraft)
    saver.change(written('a'))
    await vi.runAllTimersAsync()
    saver.drop()
    finish()
    await vi.runAllTimersAsync()
    expect(save.mock.calls).toEqual([[written('a')], [emptyDraft]])
  })

  it('is left alone when nothing was under way', async () => {
    const save = vi.fn(() => Promise.resolve())
    const saver = createDraftSaver(save, emptyDraft)
    saver.change(written('a'))
    saver.drop()
    saver.change(emptyDraft)
    await vi.runAllTimersAsync()
    expect(save).not.toHaveBeenCalled()
  })

  it('is complete before the session ends', async () => {
    const save = vi.fn(() => Promise.resolve())
    const saver = createDraftSaver(save, emptyDraft)
    const stop = beforeSignOut(saver.flush)
    saver.change(written('a'))
    await runBeforeSignOut()
    stop()
    expect(save).toHaveBeenCalledWith(written('a'))
  })
})
