import { useState } from 'react'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Notice } from '@/ui/Notice'
import { ContactPicker } from '../contacts/ContactPicker'
import type { Contact } from '../contacts/contacts'
import { useAddParticipant, type Conversation } from './conversations'

export function AddParticipantDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const { t } = useI18n()
  const [chosen, setChosen] = useState<Contact | null>(null)
  const add = useAddParticipant(conversation.id)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('people.add')}
      description={t('people.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" disabled={!chosen} busy={add.isPending} onClick={() => chosen && add.mutate(chosen.id, { onSuccess: onClose })}>
            {t('people.action')}
          </Button>
        </>
      }
    >
      {add.error && (
        <Notice tone="danger" className="mb-4">
          {errorText(add.error)}
        </Notice>
      )}
      <ContactPicker label={t('inbox.contact')} chosen={chosen} onChoose={setChosen} error={null} except={conversation.contact_id} />
    </Dialog>
  )
}
