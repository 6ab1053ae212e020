import { useId, type ReactNode } from 'react'
import { useI18n } from '@/i18n'
import { Button } from './Button'
import { Dialog } from './Dialog'
import { Notice } from './Notice'

interface ConfirmProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** What will happen, in one or two sentences: the person decides by this text. */
  children: ReactNode
  action: string
  busy?: boolean
  error?: string | null
  onConfirm: () => void
}

export function Confirm({ open, onOpenChange, title, children, action, busy, error, onConfirm }: ConfirmProps) {
  const { t } = useI18n()
  const textId = useId()
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      footer={
        <>
          <Button autoFocus onClick={() => onOpenChange(false)}>
            {t('common.cancel')}
          </Button>
          <Button look="danger" busy={busy} aria-describedby={textId} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div id={textId} className="text-sm text-ink-2">
        {children}
      </div>
      {error && (
        <Notice tone="danger" className="mt-4">
          {error}
        </Notice>
      )}
    </Dialog>
  )
}
