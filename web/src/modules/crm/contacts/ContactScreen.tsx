import { Link, Navigate, useNavigate, useParams } from '@tanstack/react-router'
import { ArrowLeft, Ban, Ellipsis, Merge, Pencil, Phone, SquarePen, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState, type FormEvent, type ReactNode } from 'react'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, withTexts } from '@/i18n'
import { languageName } from '@/lib/languageName'
import { CallLink } from '@/modules/telephony/CallLink'
import { NotFoundPage } from '@/shell/ErrorPages'
import { Button, buttonClass, IconButton } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { Chip } from '@/ui/Chip'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Input } from '@/ui/Field'
import { Menu, MenuItem, MenuRule } from '@/ui/Menu'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { ContactTimeline } from './ContactTimeline'
import {
  useBlockContact,
  useContact,
  useDeleteContact,
  useTagContact,
  type Contact,
} from './contacts'
import { openClaims } from './openClaims'
import { useVisitor, VisitorFacts } from '../visitor'
import { useConversations } from './timeline'

const Claims = lazy(() => import('./Claims').then((m) => ({ default: m.Claims })))
const Duplicates = lazy(() => import('./MergeParts').then((m) => ({ default: m.Duplicates })))
const Merges = lazy(() => import('./MergeParts').then((m) => ({ default: m.Merges })))
const ContactForm = lazy(() => import('./ContactForm').then((m) => ({ default: m.ContactForm })))
const MergeDialog = lazy(() => import('./MergeDialog').then((m) => ({ default: m.MergeDialog })))
const NewConversation = lazy(() => withTexts(() => import('../inbox/NewConversation'), 'templates', 'thread')().then((m) => ({ default: m.NewConversation })))

export function ContactScreen() {
  const { t } = useI18n()
  const { contactId } = useParams({ from: '/shell/contacts/$contactId' })
  const query = useContact(contactId)
  const missing = asApiError(query.error)?.status === 404
  const { data } = query
  const [own, setOwn] = useState<Contact | undefined>()
  if (data && data.id === contactId && data !== own) setOwn(data)
  const merged = data && data.id !== contactId
  // If the contact is merged while it is open, it stays on screen, so that unsaved text is kept.
  const shown = merged && own?.id === contactId ? own : data
  if (shown && shown.id !== contactId) return <Navigate to="/contacts/$contactId" params={{ contactId: shown.id }} replace />
  return (
    <QueryState isPending={query.isPending} error={missing ? null : query.error} retry={() => void query.refetch()} isEmpty={missing || !shown} empty={<NotFoundPage />}>
      {merged && (
        <Notice
          tone="warn"
          className="mb-5"
          action={
            <Link to="/contacts/$contactId" params={{ contactId: data.id }} className={buttonClass()}>
              {t('contacts.becameOpen', { name: data.name })}
            </Link>
          }
        >
          {t('contacts.became')}
        </Notice>
      )}
      {shown && <Profile contact={shown} />}
    </QueryState>
  )
}

type Layer = 'edit' | 'merge' | 'delete' | 'write'

function Profile({ contact }: { contact: Contact }) {
  const { t } = useI18n()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.contacts.manage' })
  const canDelete = meets(me, { permission: 'crm.contacts.delete' })
  const seesInbox = meets(me, { permission: 'crm.conversations.view' })
  const writes = meets(me, { permission: 'crm.conversations.reply' })
  const calls = meets(me, { permission: 'crm.calls.make' })
  const navigate = useNavigate()
  const [layer, setLayer] = useState<Layer | null>(null)
  const [same, setSame] = useState<Contact | null>(null)
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
          <>
            {writes && (
              <Button look="primary" icon={SquarePen} onClick={() => setLayer('write')}>
                {t('contacts.write')}
              </Button>
            )}
            {calls && contact.phones[0] && (
              <CallLink to={contact.phones[0].e164} contact_id={contact.id} className={buttonClass()}>
                <Phone aria-hidden className="size-4" />
                {t('contacts.call')}
              </CallLink>
            )}
            {canManage && (
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
            )}
          </>
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
      {canManage && (
        <Suspense>
          <Duplicates
            contact={contact}
            onMerge={(other) => {
              setSame(other)
              setLayer('merge')
            }}
          />
        </Suspense>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[19rem_minmax(0,1fr)]">
        <Card>
          <Facts contact={contact} />
          {seesInbox && <LatestVisitor contactId={contact.id} />}
          <div className="mt-5">
            <h2 className="mb-2 text-sm text-ink-3">{t('inbox.tags')}</h2>
            <TagList tags={contact.tags} canManage={canManage} onAdd={(name) => setTags({ add: [name] })} onRemove={(name) => setTags({ remove: [name] })} />
          </div>
        </Card>
        <div className="flex min-w-0 flex-col gap-6">
          <ContactTimeline contactId={contact.id} canManage={canManage} seesInbox={seesInbox} />
          <Suspense>
            <Merges contactId={contact.id} canManage={canManage} />
          </Suspense>
        </div>
      </div>
      <Suspense>
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
        {layer === 'merge' && (
          <MergeDialog
            contact={contact}
            start={same}
            onClose={() => {
              setSame(null)
              setLayer(null)
            }}
          />
        )}
        {layer === 'write' && <NewConversation start={contact} onClose={() => setLayer(null)} onBegun={(id) => void navigate({ to: '/inbox', search: { c: id } })} />}
      </Suspense>
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
    [
      t('inbox.claims'),
      openClaims(contact).length > 0 && (
        <Suspense key="claims">
          <Claims contact={contact} onLinked={(contactId) => void navigate({ to: '/contacts/$contactId', params: { contactId } })} />
        </Suspense>
      ),
    ],
    [t('contacts.kind'), t(contact.kind === 'customer' ? 'contacts.kind.customer' : 'contacts.kind.lead')],
    [t('contacts.language'), languageName(contact.language)],
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
            <dt className="text-sm text-ink-3">{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** Where the contact last wrote from, by their newest live chat. */
function LatestVisitor({ contactId }: { contactId: string }) {
  const { t } = useI18n()
  const chat = useConversations(contactId, true).rows.find((one) => one.channel === 'widget')
  const visitor = useVisitor(chat?.id).data
  return (
    visitor && (
      <section aria-label={t('visitor.title')} className="mt-3.5 border-t border-line pt-3.5">
        <VisitorFacts visitor={visitor} />
      </section>
    )
  )
}

function TagList({ tags, canManage, onAdd, onRemove }: { tags: readonly string[]; canManage: boolean; onAdd: (tag: string) => void; onRemove: (tag: string) => void }) {
  const { t } = useI18n()
  const [text, setText] = useState('')

  function add(event: FormEvent) {
    event.preventDefault()
    const tag = text.trim()
    setText('')
    if (tag && !tags.includes(tag)) onAdd(tag)
  }

  return (
    <>
      <ul className="flex flex-wrap gap-1.5 empty:hidden">
        {tags.map((tag) => (
          <Chip key={tag} removeLabel={canManage ? t('inbox.tag.remove', { tag }) : undefined} onRemove={() => onRemove(tag)}>
            {tag}
          </Chip>
        ))}
      </ul>
      {canManage && (
        <form onSubmit={add} className="mt-2">
          <Input aria-label={t('inbox.tag.add')} placeholder={t('inbox.tag.add')} maxLength={60} autoComplete="off" value={text} onChange={(event) => setText(event.target.value)} />
        </form>
      )}
    </>
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
