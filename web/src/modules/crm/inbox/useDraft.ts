import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, ask } from '@/api/client'
import { useMe } from '@/api/session'
import { beforeSignOut } from '@/lib/beforeSignOut'
import { root, type OneConversation } from './conversations'
import {
  createDraftSaver,
  emptyDraft,
  findDraft,
  localDraftKey,
  messageTypeOf,
  modeToOpen,
  recallDraft,
  rememberDraft,
  rememberSent,
  sentDraftsKey,
  serverDraft,
  wasSent,
  type DraftContent,
  type Mode,
} from './drafts'
import type { Mention } from './mentions'
import { useUploads, type Attachment } from './uploads'

/** Saves the draft on the server, so that it is available on other devices. */
async function saveDraft(client: QueryClient, id: string, mode: Mode, draft: DraftContent): Promise<void> {
  const body = { body: draft.body, message_type: messageTypeOf(mode), attachments: draft.attachments.map((file) => file.id) }
  const { data } = await ask(api.PUT('/api/crm/v1/conversations/{id}/draft', { params: { path: { id } }, body }))
  cacheDraft(client, id, mode, data.draft)
}

function cacheDraft(client: QueryClient, id: string, mode: Mode, draft: OneConversation['drafts'][number] | null): void {
  client.setQueryData<OneConversation>([...root, 'one', id], (old) => {
    const others = old?.drafts.filter((one) => one.message_type !== messageTypeOf(mode)) ?? []
    return old && { ...old, drafts: draft ? [draft, ...others] : others }
  })
}

/**
 * One of a conversation's two drafts: its text, its files and its mentions. The mode never changes.
 */
function useDraft(conversation: OneConversation, mode: Mode) {
  const me = useMe()
  const client = useQueryClient()
  const { id } = conversation
  const [first] = useState(() => findDraft(conversation, me.user.id, me.membership.id, mode))
  const start = first ?? emptyDraft
  const [text, setText] = useState(start.body)
  const [mentions, setMentions] = useState<readonly Mention[]>(start.mentions)
  const files = useUploads(start.attachments)
  const touched = useRef(false)
  const [saver] = useState(() => createDraftSaver((draft) => saveDraft(client, id, mode, draft), serverDraft(conversation, me.membership.id, mode) ?? emptyDraft))
  const localKey = localDraftKey(me.user.id, id, mode)
  // Serialised, because the list is rebuilt with every render but changes only with other files.
  const attached = JSON.stringify(files.done)
  const current = useRef<{ draft: DraftContent; changedAt: number }>({ draft: emptyDraft, changedAt: 0 })
  // If this browser has no draft, the server's is used and disappears together with it.
  const [serversOwn] = useState(() => recallDraft(localKey) === null)

  useEffect(() => {
    const draft = { body: text, attachments: JSON.parse(attached) as Attachment[], mentions }
    current.current = { draft, changedAt: Date.now() }
    // A draft from another device is stored in this browser only once it is changed here.
    touched.current ||= JSON.stringify(draft) !== JSON.stringify({ body: start.body, attachments: start.attachments, mentions: start.mentions })
    if (touched.current) rememberDraft(localKey, draft)
    saver.change(draft)
  }, [text, attached, mentions, localKey, saver, start])

  useEffect(() => {
    const stop = beforeSignOut(saver.flush)
    return () => {
      stop()
      void saver.flush()
    }
  }, [saver])

  function empty() {
    saver.drop()
    cacheDraft(client, id, mode, null)
    setText('')
    setMentions([])
    files.clear()
  }
  /** Called after it was sent or scheduled. */
  function clear() {
    rememberSent(me.user.id, localKey, current.current.draft, Date.now())
    rememberDraft(localKey, emptyDraft)
    empty()
  }
  /** Reports whether another window has sent it; it is then cleared here, too. */
  function leftElsewhere(): boolean {
    const { draft, changedAt } = current.current
    if (!wasSent(me.user.id, localKey, draft, changedAt)) return false
    empty()
    return true
  }
  useEffect(() => {
    const look = ({ key }: StorageEvent) => key === `konak.${sentDraftsKey(me.user.id)}` && leftElsewhere()
    window.addEventListener('storage', look)
    return () => window.removeEventListener('storage', look)
  })
  // A draft from another device that has been sent by now, unless it was changed here.
  const onServer = conversation.drafts.some((one) => one.message_type === messageTypeOf(mode))
  useEffect(() => {
    if (first && serversOwn && !onServer && !touched.current) empty()
    // Runs only when it disappears from the server.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [onServer])
  /** Puts back a reply that was taken back; text written since stays below it. */
  function restore(content: { body: string; attachments: readonly Attachment[] }) {
    setText((now) => (now.trim() ? `${content.body}\n\n${now}` : content.body))
    files.restore(content.attachments)
  }
  return { first, text, change: setText, files, mentions, setMentions, clear, leftElsewhere, restore }
}

/** Returns the reply and the note of a conversation, and which of them is being written. */
export function useDrafts(conversation: OneConversation) {
  const reply = useDraft(conversation, 'reply')
  const note = useDraft(conversation, 'note')
  const [mode, setMode] = useState<Mode>(() => modeToOpen(reply.first, note.first))
  return { mode, setMode, reply, note }
}
