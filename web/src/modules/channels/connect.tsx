import type { ReactNode } from 'react'
import { asApiError } from '@/api/error'
import { errorText, fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { Drawer } from '@/ui/Dialog'
import { Checkbox } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { useSetReadReceipts, type Account } from './channels'

/** Returns the error of a field of a connect form, followed by the provider's own words. */
export function refusalOf(error: unknown) {
  const why = asApiError(error)?.reason
  return (field: string, own: Parameters<typeof fieldText>[2] = {}) => {
    const text = fieldText(error, field, own)
    return text && why ? `${text} (${why})` : text
  }
}

interface LayerProps {
  account: Account
  onClose: () => void
  children: ReactNode
  description?: string
}

/** A drawer that only shows what is known about an account. */
export function AccountDrawer({ account, onClose, children, description }: LayerProps) {
  const { t } = useI18n()
  return (
    <Drawer
      open
      onOpenChange={onClose}
      title={account.name}
      description={description}
      footer={
        <Button look="primary" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      {children}
    </Drawer>
  )
}

/** Shows what the provider reported about an account that was just connected. */
export function Connected({ done, children, ...rest }: Omit<LayerProps, 'description'> & { done: string }) {
  return (
    <AccountDrawer {...rest}>
      <Notice tone="ok" className="mb-5">
        {done}
      </Notice>
      {children}
    </AccountDrawer>
  )
}

/** Saved immediately, because the form below is about the access token. */
export function ReadReceipts({ id, on }: { id: string; on: boolean }) {
  const { t } = useI18n()
  const change = useSetReadReceipts(id)
  const saved = change.data ? (change.data.settings as { read_receipts: boolean }).read_receipts : on
  return (
    <div className="mb-5">
      {change.error && (
        <Notice tone="danger" className="mb-3">
          {errorText(change.error)}
        </Notice>
      )}
      <Checkbox
        role="switch"
        label={t('channels.readReceipts')}
        detail={t('channels.readReceiptsHint')}
        checked={change.isPending ? change.variables : saved}
        busy={change.isPending}
        onChange={(event) => change.mutate(event.target.checked)}
      />
    </div>
  )
}
