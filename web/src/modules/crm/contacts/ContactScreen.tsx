import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ArrowLeft, Ban, Ellipsis, Merge, Pencil, Trash2 } from 'lucide-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatAgo, formatDateTime, useI18n } from '@/i18n'
import { NotFoundPage } from '@/shell/ErrorPages'
import { Badge } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Dialog } from '@/ui/Dialog'
import { Textarea } from '@/ui/Field'
import { Menu, MenuItem, MenuRule } from '@/ui/Menu'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { channelName } from '../inbox/channels'
import { useConversationsOf } from '../inbox/conversations'
import { Tags } from '../inbox/Details'
import { Claims } from './Claims'
import { ContactForm } from './ContactForm'
import { ContactPicker, contactLine } from './ContactPicker'
import {
  useAddNote,
  useBlockContact,
  useContact,
  useDeleteContact,
  useDeleteNote,
  useMergeContact,
  useMerges,
  useNotes,
  useTagContact,
  useUndoMerge,
  type Contact,
} from './contacts'
import { openClaims } from './openClaims'

export function ContactScreen() {
  const { contactId } = useParams({ from: '/shell/contacts/$contactId' })
  const query = useContact(contactId)
  const missing = asApiError(query.error)?.status === 404
  return (
    <QueryState isPending={query.isPending} error={missing ? null : query.error} retry={() => void query.refetch()} isEmpty={missing || !query.data} empty={<NotFoundPage />}>
      {query.data && <Profile contact={query.data} />}
    </QueryState>
  )
}

type Layer = 'edit' | 'merge' | 'delete'

function Profile({ contact }: { contact: Contact }) {
  const { t } = useI18n()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.contacts.manage' })
  const canDelete = meets(me, { permission: 'crm.contacts.delete' })
  const seesInbox = meets(me, { permission: 'crm.conversations.view' })
  const [layer, setLayer] = useState<Layer | null>(null)
  const block = useBlockContact(contact.id)
  const tag = useTagContact(contact.id)
  const failed = (error: unknown) => toast('danger', t('inbox.failed'), errorText(error))

  function setTags(change: { add?: string[]; remove?: string[] }) {
    tag.mutate({ add: [], remove: [], ...change }, { onError: failed })
  }

  return (
    <>
      <PageHeader
        back={
          <Link to="/contacts" className="inline-flex min-h-6 items-center gap-1.5 text-sm font-medium text-ink-2 hover:text-ink">
            <ArrowLeft aria-hidden className="size-4" />
            {t('contacts.title')}
          </Link>
        }
        title={contact.name}
        lead={contact.company || undefined}
        actions={
          canManage && (
            <>
              <Button icon={Pencil} onClick={() => setLayer('edit')}>
                {t('common.edit')}
              </Button>
              <Button icon={Merge} onClick={() => setLayer('merge')}>
                {t('contacts.merge')}
              </Button>
              <Menu trigger={<IconButton icon={Ellipsis} label={t('common.more')} className="border border-edge bg-surface" />}>
                <MenuItem icon={Ban} onSelect={() => block.mutate(!contact.blocked, { onError: failed })}>
                  {contact.blocked ? t('contacts.unblock') : t('contacts.block')}
                </MenuItem>
                {canDelete && (
                  <>
                    <MenuRule />
                    <MenuItem icon={Trash2} onSelect={() => setLayer('delete')}>
                      {t('common.delete')}
                    </MenuItem>
                  </>
                )}
              </Menu>
            </>
          )
        }
      />
      {contact.blocked && (
        <Notice tone="warn" title={t('contacts.blocked')} className="mb-5">
          {t('contacts.blockedText')}
        </Notice>
      )}
      {contact.merged_into_id && (
        <Notice className="mb-5">
          {t('contacts.mergedInto')}{' '}
          <Link to="/contacts/$contactId" params={{ contactId: contact.merged_into_id }} className="underline underline-offset-3">
            {t('contacts.openOther')}
          </Link>
        </Notice>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[19rem_minmax(0,1fr)]">
        <Card>
          <Facts contact={contact} />
          <div className="mt-5">
            <h2 className="mb-2 text-[13px] text-ink-3">{t('inbox.tags')}</h2>
            <Tags tags={contact.tags} canManage={canManage} onAdd={(name) => setTags({ add: [name] })} onRemove={(name) => setTags({ remove: [name] })} />
          </div>
        </Card>
        <div className="flex min-w-0 flex-col gap-6">
          {seesInbox && <Conversations contactId={contact.id} />}
          <Notes contactId={contact.id} canManage={canManage} />
          <Merges contactId={contact.id} canManage={canManage} />
        </div>
      </div>
      {layer === 'edit' && (
        <ContactForm
          contact={contact}
          onClose={() => setLayer(null)}
          onSaved={() => {
            setLayer(null)
            toast('ok', t('contacts.saved'))
          }}
        />
      )}
      {layer === 'merge' && <MergeDialog contact={contact} onClose={() => setLayer(null)} />}
      {layer === 'delete' && <DeleteConfirm contact={contact} onClose={() => setLayer(null)} />}
    </>
  )
}

function Facts({ contact }: { contact: Contact }) {
  const { t } = useI18n()
  const navigate = useNavigate()
  const rows: [string, ReactNode][] = [
    [t('contacts.emails'), contact.emails.map((email) => <span key={email.address} className="block break-all">{email.address}</span>)],
    [t('contacts.phones'), contact.phones.map((phone) => <span key={phone.e164} className="block">{phone.e164}</span>)],
    [t('inbox.claims'), openClaims(contact).length > 0 && <Claims key="claims" contact={contact} onLinked={(contactId) => void navigate({ to: '/contacts/$contactId', params: { contactId } })} />],
    [t('contacts.kind'), t(contact.kind === 'customer' ? 'contacts.kind.customer' : 'contacts.kind.lead')],
    [t('contacts.language'), contact.language],
    [t('contacts.externalId'), contact.external_id],
    ...Object.entries(contact.custom_attributes ?? {}).map(([name, value]): [string, ReactNode] => [name, String(value)]),
    [t('common.created'), formatDateTime(contact.created_at)],
  ]
  return (
    <dl className="flex flex-col gap-3.5 text-sm">
      {rows
        .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : Boolean(value)))
        .map(([label, value]) => (
          <div key={label}>
            <dt className="text-[13px] text-ink-3">{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

function Conversations({ contactId }: { contactId: string }) {
  const { t } = useI18n()
  const rows = useConversationsOf(contactId).data ?? []
  return (
    <Card title={t('contacts.conversations')}>
      {rows.length === 0 && <p className="text-sm text-ink-2">{t('contacts.noConversation')}</p>}
      <ul className="-mx-2 flex flex-col">
        {rows.map((row) => (
          <li key={row.id}>
            <Link to="/inbox" search={{ c: row.id }} className="flex min-h-10 items-center gap-3 rounded-md px-2 text-sm hover:bg-sunken">
              <span className="min-w-0 flex-1 truncate font-medium">{row.subject || row.preview || channelName(row.channel)}</span>
              {row.state !== 'open' && <Badge>{row.state === 'closed' ? t('inbox.state.closed') : t('inbox.view.snoozed')}</Badge>}
              <span className="shrink-0 text-[13px] text-ink-2">{formatAgo(row.last_activity_at)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Notes({ contactId, canManage }: { contactId: string; canManage: boolean }) {
  const { t } = useI18n()
  const notes = useNotes(contactId)
  const add = useAddNote(contactId)
  const remove = useDeleteNote(contactId)
  const [text, setText] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    if (text.trim()) add.mutate(text.trim(), { onSuccess: () => setText('') })
  }

  return (
    <Card title={t('contacts.notes')}>
      {canManage && (
        <form onSubmit={submit} className="mb-4 flex flex-col items-end gap-2">
          <Textarea aria-label={t('contacts.note')} placeholder={t('contacts.notePlaceholder')} rows={2} value={text} onChange={(event) => setText(event.target.value)} />
          {add.error && (
            <Notice tone="danger" className="w-full">
              {errorText(add.error)}
            </Notice>
          )}
          <Button size="sm" type="submit" busy={add.isPending} disabled={!text.trim()}>
            {t('inbox.addNote')}
          </Button>
        </form>
      )}
      {notes.rows.length === 0 && !notes.isPending && <p className="text-sm text-ink-2">{t('contacts.noNote')}</p>}
      <ul className="flex flex-col gap-2.5">
        {notes.rows.map((note) => (
          <li key={note.id} className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm">
            <div className="min-w-0 flex-1">
              <p className="break-words whitespace-pre-wrap">{note.body}</p>
              <p className="mt-0.5 text-[13px] text-ink-2">{formatDateTime(note.created_at)}</p>
            </div>
            {canManage && <IconButton icon={Trash2} tone="danger" label={t('contacts.deleteNote')} onClick={() => remove.mutate(note.id)} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Merges({ contactId, canManage }: { contactId: string; canManage: boolean }) {
  const { t } = useI18n()
  const merges = useMerges(contactId)
  const undo = useUndoMerge()
  if (merges.rows.length === 0) return null
  return (
    <Card title={t('contacts.merges')}>
      <ul className="flex flex-col gap-2 text-sm">
        {merges.rows.map((merge) => (
          <li key={merge.id} className="flex items-center gap-3">
            <span className="min-w-0 flex-1">
              {t('contacts.mergedAt', { when: formatDateTime(merge.merged_at) })}
              {merge.undone_at && <span className="block text-[13px] text-ink-2">{t('contacts.undoneAt', { when: formatDateTime(merge.undone_at) })}</span>}
            </span>
            {canManage && !merge.undone_at && (
              <Button
                size="sm"
                busy={undo.isPending}
                onClick={() =>
                  undo.mutate(merge.id, {
                    onSuccess: () => toast('ok', t('contacts.undone')),
                    onError: (error) => toast('danger', t('inbox.failed'), errorText(error)),
                  })
                }
              >
                {t('contacts.undo')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function MergeDialog({ contact, onClose }: { contact: Contact; onClose: () => void }) {
  const { t } = useI18n()
  const [other, setOther] = useState<Contact | null>(null)
  const merge = useMergeContact(contact.id)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('contacts.merge.title')}
      description={t('contacts.merge.text', { name: contact.name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            look="primary"
            busy={merge.isPending}
            disabled={!other}
            onClick={() =>
              other &&
              merge.mutate(other.id, {
                onSuccess: () => {
                  toast('ok', t('contacts.merged', { name: other.name }), contactLine(other))
                  onClose()
                },
              })
            }
          >
            {t('contacts.merge.action')}
          </Button>
        </>
      }
    >
      {merge.error && (
        <Notice tone="danger" className="mb-4">
          {errorText(merge.error)}
        </Notice>
      )}
      <ContactPicker label={t('contacts.merge.other')} chosen={other} onChoose={setOther} error={null} except={contact.id} />
    </Dialog>
  )
}

function DeleteConfirm({ contact, onClose }: { contact: Contact; onClose: () => void }) {
  const { t } = useI18n()
  const navigate = useNavigate()
  return (
    <ConfirmAct
      act={useDeleteContact()}
      on={contact.id}
      title={t('contacts.delete.title')}
      action={t('contacts.delete.action')}
      done={t('contacts.deleted', { name: contact.name })}
      onDone={() => void navigate({ to: '/contacts' })}
      onClose={onClose}
    >
      {t('contacts.delete.text', { name: contact.name })}
    </ConfirmAct>
  )
}
