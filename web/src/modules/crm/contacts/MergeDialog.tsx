import { useState } from 'react'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { contactLine } from './contactLine'
import { ContactPicker } from './ContactPicker'
import { useMergeContact, type Contact } from './contacts'

/** Merges another contact into this one; the merge can be undone. */
export function MergeDialog({ contact, start, onClose }: { contact: Contact; start: Contact | null; onClose: () => void }) {
  const { t } = useI18n()
  const [other, setOther] = useState<Contact | null>(start)
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
