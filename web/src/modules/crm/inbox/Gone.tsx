import { Undo2 } from 'lucide-react'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { useRestore } from './whole'

interface GoneProps {
  id: string
  /** The contact's name, if still known. */
  name: string | undefined
}

/**
 * Replaces a conversation that was deleted or never existed; people who are allowed to can restore
 * it.
 */
export function Gone({ id, name }: GoneProps) {
  const { t } = useI18n()
  const canRestore = meets(useMe(), { permission: 'crm.conversations.delete' })
  const restore = useRestore()
  const refused = asApiError(restore.error)

  function bringBack() {
    restore.mutateAsync(id).then(
      () => toast('ok', t('whole.restore.done')),
      () => undefined,
    )
  }

  return (
    <>
      <Notice
        tone="warn"
        action={
          canRestore && (
            <Button size="sm" icon={Undo2} busy={restore.isPending} onClick={bringBack}>
              {t('whole.restore')}
            </Button>
          )
        }
      >
        {name ? t('whole.deleted', { name }) : t('inbox.gone')}
      </Notice>
      {restore.error && (
        <Notice tone="danger" className="mt-3">
          {refused?.reason === 'single_thread' ? t('whole.restore.taken') : refused?.status === 404 ? t('whole.restore.nothing') : errorText(restore.error)}
        </Notice>
      )}
    </>
  )
}
