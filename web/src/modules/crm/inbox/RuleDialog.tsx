import { useState } from 'react'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { FormDialog } from '@/ui/FormLayer'
import { RuleReason } from './RuleMatches'
import type { RuleRefusal } from './ruleRefusal'

interface RuleDialogProps {
  refusal: RuleRefusal
  onSend: (reason: string) => void
  onClose: () => void
}

/** A rule's warning: the message is sent with a reason, or returns to the composer. */
export function RuleDialog({ refusal, onSend, onClose }: RuleDialogProps) {
  const { t } = useI18n()
  const [missing, setMissing] = useState(false)
  return (
    <FormDialog
      title={t('rule.title')}
      description={t('rule.text')}
      action={t('rule.send')}
      dismiss={t('rule.back')}
      busy={false}
      error={null}
      fields={[]}
      onSubmit={(data) => {
        const reason = textOf(data, 'override')
        setMissing(!reason)
        if (reason) onSend(reason)
      }}
      onClose={onClose}
    >
      <RuleReason error={refusal.error} missing={missing} />
    </FormDialog>
  )
}
