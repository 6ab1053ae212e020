import { Link } from '@tanstack/react-router'
import { Mail, Phone } from 'lucide-react'
import { lazy, Suspense, useState, type FormEvent } from 'react'
import { meets, useMe, type Me } from '@/api/session'
import { formatAgo, useI18n, withTexts, type PlainKey } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Chip } from '@/ui/Chip'
import { Field, Input, Select } from '@/ui/Field'
import { Claims } from '../contacts/Claims'
import { useContact } from '../contacts/contacts'
import { channelName } from './channels'
import {
  useAgentChoices,
  useConversationsOf,
  useGroups,
  usePeople,
  type Action,
  type AgentChoice,
  type Conversation,
  type People,
  type Priority,
} from './conversations'
import { Section } from './Section'

const DetailsMore = lazy(() => withTexts(() => import('./DetailsMore'), 'desk')().then((m) => ({ default: m.DetailsMore })))

const priorities = {
  low: 'inbox.priority.low',
  normal: 'inbox.priority.normal',
  high: 'inbox.priority.high',
  urgent: 'inbox.priority.urgent',
} as const satisfies Record<Priority, PlainKey>

interface DetailsProps {
  conversation: Conversation
  onAct: (action: Action) => void
}

export function Details({ conversation, onAct }: DetailsProps) {
  const { t } = useI18n()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.conversations.manage' })
  const canAssign = meets(me, { permission: 'crm.conversations.assign' })
  const seesContacts = meets(me, { permission: 'crm.contacts.view' })
  const seesAgents = meets(me, { permission: 'crm.agents.view' })
  const people = usePeople(conversation.id).data
  const groups = useGroups().data ?? []

  const owner = conversation.owner_id
  const choices = ownerChoices(me, t('inbox.me', { name: me.user.name }), useAgentChoices(seesAgents).data, people?.agents)
  if (owner && !choices.has(owner)) choices.set(owner, t('inbox.author.agent'))

  return (
    <div className="flex flex-col gap-6 px-4 py-5 text-sm">
      {seesContacts && <ContactCard id={conversation.contact_id} />}
      <div className="flex flex-col gap-3.5">
        <Field label={t('inbox.owner')}>
          <Select value={owner ?? ''} disabled={!canAssign} onChange={(event) => onAct({ do: 'assign', owner: event.target.value || null })}>
            <option value="">{t('inbox.owner.none')}</option>
            {[...choices].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('inbox.priority')}>
          <Select value={conversation.priority} disabled={!canManage} onChange={(event) => onAct({ do: 'priority', priority: event.target.value as Priority })}>
            {(Object.keys(priorities) as Priority[]).map((value) => (
              <option key={value} value={value}>
                {t(priorities[value])}
              </option>
            ))}
          </Select>
        </Field>
        {groups.length > 0 && (
          <Field label={t('inbox.group')}>
            <Select value={conversation.group_id ?? ''} disabled={!canAssign} onChange={(event) => onAct({ do: 'group', group: event.target.value || null })}>
              <option value="">{t('inbox.group.none')}</option>
              {groups.map((group) => (
                <option key={group.id} value={group.id}>
                  {group.name}
                </option>
              ))}
            </Select>
          </Field>
        )}
      </div>
      <Section title={t('inbox.tags')}>
        <Tags tags={conversation.tags} canManage={canManage} onAdd={(tag) => onAct({ do: 'tag', tag })} onRemove={(tag) => onAct({ do: 'untag', tag })} />
      </Section>
      <Suspense>
        <DetailsMore conversation={conversation} />
      </Suspense>
      <Previous conversation={conversation} />
    </div>
  )
}

/** Oneself first, then everybody else who works here, or at least those who take part. */
function ownerChoices(me: Me, self: string, all: AgentChoice[] | undefined, here: People['agents'] | undefined): Map<string, string> {
  const choices = new Map([[me.membership.id, self]])
  const others = all?.map((agent) => [agent.id, agent.name || agent.email] as const) ?? here?.map((agent) => [agent.agent_id, agent.name] as const) ?? []
  for (const [id, name] of others) if (!choices.has(id)) choices.set(id, name)
  return choices
}

function ContactCard({ id }: { id: string }) {
  const { t } = useI18n()
  const contact = useContact(id).data
  if (!contact) return null
  return (
    <section aria-label={t('inbox.contact')}>
      <p className="text-base font-semibold">
        <Link to="/contacts/$contactId" params={{ contactId: id }} className="text-accent-ink underline decoration-accent/40 underline-offset-3 hover:decoration-current">
          {contact.name}
        </Link>
      </p>
      {contact.company && <p className="text-ink-2">{contact.company}</p>}
      <ul className="mt-2 flex flex-col gap-1.5 text-ink-2">
        {contact.emails.map((email) => (
          <li key={email.address} className="flex items-center gap-2">
            <Mail aria-hidden className="size-4 shrink-0 text-ink-3" />
            <span className="min-w-0 break-all">{email.address}</span>
          </li>
        ))}
        {contact.phones.map((phone) => (
          <li key={phone.e164} className="flex items-center gap-2">
            <Phone aria-hidden className="size-4 shrink-0 text-ink-3" />
            {phone.e164}
          </li>
        ))}
      </ul>
      <Claims contact={contact} />
      {contact.blocked && (
        <p className="mt-2">
          <Badge tone="danger">{t('contacts.blocked')}</Badge>
        </p>
      )}
    </section>
  )
}

interface TagsProps {
  tags: string[]
  canManage: boolean
  onAdd: (tag: string) => void
  onRemove: (tag: string) => void
}

export function Tags({ tags, canManage, onAdd, onRemove }: TagsProps) {
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
          <Input aria-label={t('inbox.tag.add')} placeholder={t('inbox.tag.add')} maxLength={60} autoComplete="off" value={text} onChange={(event) => setText(event.target.value)} className="h-8.5" />
        </form>
      )}
    </>
  )
}

function Previous({ conversation }: { conversation: Conversation }) {
  const { t } = useI18n()
  const others = useConversationsOf(conversation.contact_id).data?.filter((row) => row.id !== conversation.id) ?? []
  if (others.length === 0) return null
  return (
    <Section title={t('inbox.previous')}>
      <ul className="flex flex-col gap-1">
        {others.map((row) => (
          <li key={row.id}>
            <Link to="/inbox" search={(old) => ({ ...old, c: row.id, at: undefined })} className="-mx-2 flex min-h-8 items-center gap-2 rounded-md px-2 py-1 hover:bg-sunken">
              <span className="min-w-0 flex-1 truncate">{row.subject || row.preview || channelName(row.channel)}</span>
              <span className="shrink-0 text-xs text-ink-2">{formatAgo(row.last_activity_at)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
