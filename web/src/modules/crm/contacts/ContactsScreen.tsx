import { Link, useNavigate } from '@tanstack/react-router'
import { ContactRound, Download, Upload } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { useSettled } from '@/lib/settled'
import { ListView, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { Button, buttonClass } from '@/ui/Button'
import { ChannelGlyph } from '@/ui/ChannelGlyph'
import { Input } from '@/ui/Field'
import { PageHeader } from '@/ui/PageHeader'
import { Segmented } from '@/ui/Segmented'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { channelName } from '../inbox/channels'
import { ContactForm } from './ContactForm'
import { useContacts, type Contact, type ContactFilter } from './contacts'
import { ImportDialog } from './ImportDialog'


function exportAddress({ q, kind }: ContactFilter): string {
  const query = new URLSearchParams()
  if (q) query.set('q', q)
  if (kind) query.set('kind', kind)
  return `/api/crm/v1/contacts/export?${query.toString()}`
}

/** The number of tags that fit in a row; the others are in a tip. */
const shownTags = 3

export function ContactsScreen() {
  const { t } = useI18n()
  const navigate = useNavigate()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.contacts.manage' })
  const canExport = meets(me, { permission: 'crm.contacts.export' })
  const [text, setText] = useState('')
  const [kind, setKind] = useState<ContactFilter['kind']>('')
  const filter: ContactFilter = { q: useSettled(text), kind }
  const [layer, setLayer] = useState<'add' | 'import' | null>(null)
  const list = useContacts(filter)

  const addButton = useAdd('contacts.add', canManage, () => setLayer('add'))

  const columns: Column<Contact>[] = [
    {
      id: 'name',
      header: t('contacts.name'),
      cell: (row) => (
        <>
          <Link
            to="/contacts/$contactId"
            params={{ contactId: row.id }}
            className="font-medium wrap-anywhere text-accent-ink underline decoration-accent/40 underline-offset-3 hover:decoration-current"
          >
            {row.name}
          </Link>
          {row.blocked && (
            <span className="ml-2">
              <Badge tone="danger">{t('contacts.blocked')}</Badge>
            </span>
          )}
          {row.company && <span className="block text-sm wrap-anywhere text-ink-2">{row.company}</span>}
        </>
      ),
    },
    {
      id: 'reach',
      header: t('contacts.reach'),
      cell: (row) => (
        <span className="block text-sm text-ink-2">
          <span className="block break-all">{row.emails[0]?.address}</span>
          <span className="block whitespace-nowrap">{row.phones[0]?.e164}</span>
          {row.emails.length + row.phones.length === 0 &&
            row.identities.slice(0, shownTags).map(({ channel, channel_account_id, external_id, username }) => (
              <span key={`${channel_account_id} ${external_id}`} className="flex items-center gap-1.5">
                <ChannelGlyph channel={channel} label={username ? channelName(channel) : undefined} />
                <span className="min-w-0 truncate">{username || channelName(channel)}</span>
              </span>
            ))}
        </span>
      ),
    },
    {
      id: 'kind',
      header: t('contacts.kind'),
      wide: true,
      cell: (row) => (
        <Badge tone={row.kind === 'customer' ? 'accent' : 'neutral'}>{t(row.kind === 'customer' ? 'contacts.kind.customer' : 'contacts.kind.lead')}</Badge>
      ),
    },
    {
      id: 'tags',
      header: t('inbox.tags'),
      wide: true,
      cell: (row) => (
        <span className="flex flex-wrap gap-1">
          {row.tags.slice(0, shownTags).map((tag) => (
            <Badge key={tag}>
              <span className="max-w-40 truncate">{tag}</span>
            </Badge>
          ))}
          {row.tags.length > shownTags && (
            <span tabIndex={0} data-tip={row.tags.slice(shownTags).join(', ')} className="rounded-sm px-1 text-xs leading-5 text-ink-2">
              <span aria-hidden>+{row.tags.length - shownTags}</span>
              <span className="sr-only">{row.tags.slice(shownTags).join(', ')}</span>
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'created',
      header: t('common.created'),
      wide: true,
      cell: (row) => <Ago at={row.created_at} />,
    },
  ]

  const importButton = canManage && (
    <Button icon={Upload} onClick={() => setLayer('import')}>
      {t('contacts.import')}
    </Button>
  )
  const narrowed = text !== '' || filter.q !== '' || filter.kind !== ''
  const nobody = !list.isPending && !list.error && list.rows.length === 0 && !narrowed

  return (
    <>
      <PageHeader
        title={t('contacts.title')}
        lead={t('contacts.lead')}
        actions={
          !nobody && (
            <>
              {canExport && (
                <a href={exportAddress(filter)} download="contacts.csv" className={buttonClass()}>
                  <Download aria-hidden className="size-4" />
                  {t('contacts.export')}
                </a>
              )}
              {importButton}
              {addButton}
            </>
          )
        }
      />
      {!nobody && (
        <div className="mb-4 flex flex-wrap items-center gap-3">
          <Input type="search" aria-label={t('contacts.search')} placeholder={t('contacts.search')} value={text} onChange={(event) => setText(event.target.value)} className="max-w-96" />
          <Segmented
            label={t('contacts.kind')}
            value={filter.kind}
            options={[
              { value: '', label: t('contacts.kind.all') },
              { value: 'customer', label: t('contacts.kind.customer') },
              { value: 'lead', label: t('contacts.kind.lead') },
            ]}
            onChange={setKind}
          />
        </div>
      )}
      <ListView
        label={t('contacts.title')}
        list={list}
        columns={columns}
        empty={
          narrowed
            ? { icon: ContactRound, title: t('contacts.none.title'), text: t('contacts.noneFound') }
            : {
                icon: ContactRound,
                title: t('contacts.empty.title'),
                text: t('contacts.empty.text'),
                action: canManage && (
                  <>
                    {addButton}
                    {importButton}
                  </>
                ),
              }
        }
      />
      {layer === 'add' && (
        <ContactForm
          onClose={() => setLayer(null)}
          onSaved={(contact) => {
            setLayer(null)
            toast('ok', t('contacts.added', { name: contact.name }))
            void navigate({ to: '/contacts/$contactId', params: { contactId: contact.id } })
          }}
        />
      )}
      {layer === 'import' && <ImportDialog onClose={() => setLayer(null)} />}
    </>
  )
}
