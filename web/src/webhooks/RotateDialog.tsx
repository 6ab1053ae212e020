import { useState } from 'react'
import { errorText } from '@/api/message'
import { useI18n, type PlainKey } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Select } from '@/ui/Select'
import type { Webhook } from './source'
import { useRotateSecret } from './webhooks'

const graces: { seconds: number; label: PlainKey }[] = [
  { seconds: 0, label: 'webhooks.rotate.atOnce' },
  { seconds: 3_600, label: 'webhooks.rotate.hour' },
  { seconds: 86_400, label: 'webhooks.rotate.day' },
  { seconds: 604_800, label: 'webhooks.rotate.week' },
]

interface RotateDialogProps {
  webhook: Webhook
  onClose: () => void
  onRotated: (secret: string) => void
}

export function RotateDialog({ webhook, onClose, onRotated }: RotateDialogProps) {
  const { t } = useI18n()
  const [grace, setGrace] = useState(0)
  const rotate = useRotateSecret(webhook.id)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('webhooks.rotate.title')}
      description={t('webhooks.rotate.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            look="danger"
            busy={rotate.isPending}
            onClick={() => rotate.mutate(grace, { onSuccess: (answer) => onRotated(answer.secret) })}
          >
            {t('webhooks.rotate.action')}
          </Button>
        </>
      }
    >
      {rotate.error && (
        <Notice tone="danger" className="mb-4">
          {errorText(rotate.error)}
        </Notice>
      )}
      <Field label={t('webhooks.rotate.grace')} hint={grace === 0 ? t('webhooks.rotate.atOnceHint') : t('webhooks.rotate.graceHint')}>
        <Select value={grace} onChange={(event) => setGrace(Number(event.target.value))}>
          {graces.map((option) => (
            <option key={option.seconds} value={option.seconds}>
              {t(option.label)}
            </option>
          ))}
        </Select>
      </Field>
    </Dialog>
  )
}
