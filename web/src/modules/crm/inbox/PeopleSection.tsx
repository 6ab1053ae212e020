import { UserPlus, X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, withTexts } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { toast } from '@/ui/Toast'
import { PresenceMark } from '../PresenceMark'
import { usePeople, useRemoveParticipant, type Conversation } from './conversations'
import { Section } from './Section'

const AddParticipantDialog = lazy(() => withTexts(() => import('./AddParticipantDialog'), 'contacts')().then((m) => ({ default: m.AddParticipantDialog })))

/** The participants: contacts, who can be added and removed, and agents with their presence. */
export function PeopleSection({ conversation }: { conversation: Conversation }) {
  const { t } = useI18n()
  const me = useMe()
  const people = usePeople(conversation.id).data
  const remove = useRemoveParticipant(conversation.id)
  const [adding, setAdding] = useState(false)
  const canManage = meets(me, { permission: 'crm.conversations.manage' })
  if (!people) return null
  return (
    <Section title={t('inbox.people')}>
      <ul className="flex flex-col gap-1.5">
        {people.contacts.map((contact) => (
          <li key={contact.contact_id} className="flex min-h-7 items-center gap-2">
            <span className="min-w-0 flex-1 truncate">{contact.name}</span>
            {contact.customer ? (
              <Badge>{t('inbox.customer')}</Badge>
            ) : (
              canManage && (
                <IconButton
                  icon={X}
                  label={t('people.remove', { name: contact.name })}
                  className="size-7"
                  onClick={() => remove.mutate(contact.contact_id, { onError: (error) => toast('danger', t('inbox.failed'), errorText(error)) })}
                />
              )
            )}
          </li>
        ))}
        {people.agents.map((agent) => (
          <li key={agent.agent_id} className="flex min-h-7 items-center gap-2">
            <PresenceMark agentId={agent.agent_id} />
            <span className="min-w-0 flex-1 truncate">{agent.name}</span>
            {agent.owner && <Badge tone="accent">{t('inbox.owner')}</Badge>}
          </li>
        ))}
      </ul>
      {canManage && meets(me, { permission: 'crm.contacts.view' }) && (
        <Button size="sm" icon={UserPlus} onClick={() => setAdding(true)} className="mt-2">
          {t('people.add')}
        </Button>
      )}
      <Suspense>{adding && <AddParticipantDialog conversation={conversation} onClose={() => setAdding(false)} />}</Suspense>
    </Section>
  )
}
