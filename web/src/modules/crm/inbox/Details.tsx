import { Link } from '@tanstack/react-router'
import { Mail, Phone } from 'lucide-react'
import { lazy, Suspense, useEffect, useId, useMemo, useRef, type ReactNode } from 'react'
import { meets, useMe, type Me } from '@/api/session'
import { formatAgo, useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { CallLink } from '@/modules/telephony/CallLink'
import { Avatar } from '@/ui/Avatar'
import { Badge } from '@/ui/Badge'
import { buttonClass } from '@/ui/Button'
import { ChannelGlyph } from '@/ui/ChannelGlyph'
import { Combobox, MultiCombobox } from '@/ui/Combobox'
import { Claims } from '../contacts/Claims'
import { useContact, type Contact } from '../contacts/contacts'
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
import { priorityNames } from './priorityNames'
import { priorities } from './search'
import { Section } from './Section'
import { useTags } from './tags'

const DetailsMore = lazy(() => withTexts(() => import('./DetailsMore'), 'desk')().then((m) => ({ default: m.DetailsMore })))

/** The properties that have their own shortcut. */
export type PickedProperty = 'owner' | 'tags'

interface DetailsProps {
  conversation: Conversation
  onAct: (action: Action) => void
  /** The property whose picker opens together with the details. */
  pick?: PickedProperty
}

export function Details({ conversation, onAct, pick }: DetailsProps) {
  const { t } = useI18n()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.conversations.manage' })
  const canAssign = meets(me, { permission: 'crm.conversations.assign' })
  const seesContacts = meets(me, { permission: 'crm.contacts.view' })
  const seesAgents = meets(me, { permission: 'crm.agents.view' })
  const people = usePeople(conversation.id).data
  const groups = useGroups().data ?? []

  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!pick) return
    // In the next frame, because the drawer takes the focus first and a list that loses it closes.
    const frame = requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-property=${pick}] button`)?.click())
    return () => cancelAnimationFrame(frame)
  }, [pick])

  const owner = conversation.owner_id
  const choices = ownerChoices(me, t('inbox.me', { name: me.user.name }), useAgentChoices(seesAgents).data, people?.agents)
  if (owner && !choices.has(owner)) choices.set(owner, t('inbox.author.agent'))

  return (
    <div ref={box} className="flex flex-col gap-6 px-4 py-5 text-sm">
      {seesContacts && <ContactCard id={conversation.contact_id} conversationId={conversation.id} />}
      <div className="flex flex-col gap-0.5">
        <Property label={t('inbox.owner')} name="owner">
          <Combobox
            quiet
            label={t('inbox.owner')}
            value={owner ?? ''}
            disabled={!canAssign}
            options={[
              { value: '', label: t('inbox.owner.none') },
              ...[...choices].map(([id, name]) => ({ value: id, label: name, mark: <Avatar name={name} id={id} size="xs" /> })),
            ]}
            onChange={(next) => onAct({ do: 'assign', owner: next || null })}
          />
        </Property>
        <Property label={t('inbox.priority')} name="priority">
          <Combobox
            quiet
            label={t('inbox.priority')}
            value={conversation.priority}
            disabled={!canManage}
            options={priorities.map((value) => ({ value, label: t(priorityNames[value]) }))}
            onChange={(next) => onAct({ do: 'priority', priority: next as Priority })}
          />
        </Property>
        {groups.length > 0 && (
          <Property label={t('inbox.group')} name="group">
            <Combobox
              quiet
              label={t('inbox.group')}
              value={conversation.group_id ?? ''}
              disabled={!canAssign}
              options={[{ value: '', label: t('inbox.group.none') }, ...groups.map((group) => ({ value: group.id, label: group.name }))]}
              onChange={(next) => onAct({ do: 'group', group: next || null })}
            />
          </Property>
        )}
        <Property label={t('inbox.tags')} name="tags">
          <TagPicker tags={conversation.tags} canManage={canManage} onAdd={(tag) => onAct({ do: 'tag', tag })} onRemove={(tag) => onAct({ do: 'untag', tag })} />
        </Property>
      </div>
      <Suspense>
        <DetailsMore conversation={conversation} />
      </Suspense>
      <Previous conversation={conversation} />
    </div>
  )
}

/** One property: its name and its value, a picker without a frame until it is pointed at. */
function Property({ label, name, children }: { label: string; name: string; children: ReactNode }) {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} data-property={name} className="grid grid-cols-[5.5rem_minmax(0,1fr)] items-start gap-1">
      <span id={id} className="pt-2.5 text-ink-3">
        {label}
      </span>
      {children}
    </div>
  )
}

/**
 * Returns the person themselves first, then all other agents, or if those may not be seen, the
 * participants.
 */
function ownerChoices(me: Me, self: string, all: AgentChoice[] | undefined, here: People['agents'] | undefined): Map<string, string> {
  const choices = new Map([[me.membership.id, self]])
  const others = all?.map((agent) => [agent.id, agent.name || agent.email] as const) ?? here?.map((agent) => [agent.agent_id, agent.name] as const) ?? []
  for (const [id, name] of others) if (!choices.has(id)) choices.set(id, name)
  return choices
}

function ContactCard({ id, conversationId }: { id: string; conversationId: string }) {
  const { t } = useI18n()
  const contact = useContact(id).data
  if (!contact) return null
  return (
    <section aria-label={t('inbox.contact')}>
      <div className="flex items-center gap-3">
        <Avatar name={contact.name} id={id} size="lg" />
        <div className="min-w-0">
          <Link to="/contacts/$contactId" params={{ contactId: id }} className="block text-lg font-semibold break-words underline-offset-3 hover:underline">
            {contact.name}
          </Link>
          {contact.company && <p className="truncate text-ink-2">{contact.company}</p>}
        </div>
        {contact.phones[0] && (
          <CallLink to={contact.phones[0].e164} contact_id={contact.id} conversation_id={conversationId} className={cx(buttonClass('secondary', 'sm'), 'ml-auto')}>
            <Phone aria-hidden className="size-4" />
            {t('inbox.call')}
          </CallLink>
        )}
      </div>
      <ul className="mt-3 flex flex-col gap-1.5 text-ink-2">
        {contact.emails.map((email) => (
          <li key={email.address} className="flex items-center gap-2">
            <Mail aria-hidden className="size-4 shrink-0 text-ink-3" />
            <a href={`mailto:${email.address}`} className="min-w-0 break-all underline-offset-3 hover:underline">
              {email.address}
            </a>
          </li>
        ))}
        {contact.phones.map((phone) => (
          <li key={phone.e164} className="flex items-center gap-2">
            <Phone aria-hidden className="size-4 shrink-0 text-ink-3" />
            <CallLink to={phone.e164} contact_id={contact.id} conversation_id={conversationId} className="underline-offset-3 hover:underline">
              {phone.e164}
            </CallLink>
          </li>
        ))}
      </ul>
      <Attributes attributes={contact.custom_attributes} />
      <Claims contact={contact} />
      {contact.blocked && (
        <p className="mt-2">
          <Badge tone="danger">{t('contacts.blocked')}</Badge>
        </p>
      )}
    </section>
  )
}

/** The custom attributes that the workspace's own software has stored, under its own names. */
function Attributes({ attributes }: { attributes: Contact['custom_attributes'] }) {
  const { t } = useI18n()
  const entries = Object.entries(attributes ?? {}).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  if (entries.length === 0) return null
  return (
    <dl aria-label={t('inbox.attributes')} className="mt-3 grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-1 gap-y-1">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="truncate text-ink-3" title={name}>
            {name}
          </dt>
          <dd className="break-words">{String(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

interface TagsProps {
  tags: string[]
  canManage: boolean
  onAdd: (tag: string) => void
  onRemove: (tag: string) => void
}

/** Picks the tags; all tags of the workspace are suggested, and typing creates a new one. */
function TagPicker({ tags, canManage, onAdd, onRemove }: TagsProps) {
  const { t } = useI18n()
  const all = useTags(canManage).data
  const known = useMemo(() => [...new Set([...tags, ...(all ?? [])])], [tags, all])

  /** Each choice adds or removes one tag. */
  function change(next: string[]) {
    const added = next.find((tag) => !tags.includes(tag))
    const removed = tags.find((tag) => !next.includes(tag))
    if (added !== undefined) onAdd(added)
    else if (removed !== undefined) onRemove(removed)
  }

  return (
    <MultiCombobox
      quiet
      label={t('inbox.tags')}
      value={tags}
      disabled={!canManage}
      options={known.map((tag) => ({ value: tag, label: tag }))}
      onChange={change}
      onCreate={(text) => !tags.includes(text.trim()) && onAdd(text.trim().slice(0, 60))}
    >
      {tags.length > 0 ? (
        <span className="flex flex-wrap gap-1 py-1">
          {tags.map((tag) => (
            <span key={tag} className="rounded-sm bg-sunken px-1.5 text-xs leading-5 text-ink-2">
              {tag}
            </span>
          ))}
        </span>
      ) : (
        <span className="text-ink-3">{t('inbox.tag.add')}</span>
      )}
    </MultiCombobox>
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
              <ChannelGlyph channel={row.channel} label={channelName(row.channel)} />
              <span className="min-w-0 flex-1 truncate">{row.subject || row.preview || channelName(row.channel)}</span>
              {row.state === 'closed' && <span className="shrink-0 text-xs text-ink-3">{t('inbox.state.closed')}</span>}
              <span className="shrink-0 text-xs text-ink-2">{formatAgo(row.last_activity_at)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
