import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Card } from '@/ui/Card'
import { Checkbox } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { useKeyless, useSetKeyless } from './webhooks'

/** Whether a keyless id in a path suffices as credential; one switch for the whole workspace. */
export function KeylessSetting({ canManage }: { canManage: boolean }) {
  const { t } = useI18n()
  const setting = useKeyless()
  const change = useSetKeyless()
  const error = change.error ?? setting.error
  if (setting.data === undefined && !error) return null
  return (
    <Card title={t('webhooks.settings')} className="mt-8">
      {error && (
        <Notice tone="danger" className="mb-3">
          {errorText(error)}
        </Notice>
      )}
      {setting.data !== undefined && (
        <Checkbox
          label={t('webhooks.keyless')}
          detail={t('webhooks.keylessHint')}
          checked={change.isPending ? change.variables : setting.data}
          disabled={!canManage}
          busy={change.isPending}
          onChange={(event) => change.mutate(event.target.checked)}
        />
      )}
    </Card>
  )
}
