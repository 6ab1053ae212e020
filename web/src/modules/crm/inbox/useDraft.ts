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

/** Keeps what was begun on the server, so that it is there on the next device. */
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

/** One of a conversation's two drafts: its text, its files and whom it calls. The mode never changes. */
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
  // A list that is made anew with every render, and means a change only with other files.
  const attached = JSON.stringify(files.done)
  const current = useRef<{ draft: DraftContent; changedAt: number }>({ draft: emptyDraft, changedAt: 0 })
  // Where this browser has none of its own, the draft is the server's and goes when it goes there.
  const [serversOwn] = useState(() => recallDraft(localKey) === null)

  useEffect(() => {
    const draft = { body: text, attachments: JSON.parse(attached) as Attachment[], mentions }
    current.current = { draft, changedAt: Date.now() }
    // What another device began is this browser's only when it was changed here.
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
  /** After it was sent or scheduled. */
  function clear() {
    rememberSent(me.user.id, localKey, current.current.draft, Date.now())
    rememberDraft(localKey, emptyDraft)
    empty()
  }
  /** Whether another window has sent it; then it is gone from here, too. */
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
  // What another device began and has sent by now, unless it was changed here.
  const onServer = conversation.drafts.some((one) => one.message_type === messageTypeOf(mode))
  useEffect(() => {
    if (first && serversOwn && !onServer && !touched.current) empty()
    // Once it is gone from the server.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [onServer])
  /** Puts back what was sent and taken back; what was written since stays below it. */
  function restore(content: { body: string; attachments: readonly Attachment[] }) {
    setText((now) => (now.trim() ? `${content.body}\n\n${now}` : content.body))
    files.restore(content.attachments)
  }
  return { first, text, change: setText, files, mentions, setMentions, clear, leftElsewhere, restore }
}

/** The reply and the note of a conversation, and which of them is being written. */
export function useDrafts(conversation: OneConversation) {
  const reply = useDraft(conversation, 'reply')
  const note = useDraft(conversation, 'note')
  const [mode, setMode] = useState<Mode>(() => modeToOpen(reply.first, note.first))
  return { mode, setMode, reply, note }
}
