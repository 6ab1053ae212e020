import { useCapabilities } from '@/api/capabilities'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Checkbox } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { useCalling, useSetCalling, type Account } from './channels'

/**
 * Turns an account's calls on or off, and shows what the provider or the exchange refused. Shows
 * nothing if the kind does not support calls, and only a text for Messenger, which passes no calls
 * to an exchange.
 */
export function Calling({ account }: { account: Account }) {
  const { t } = useI18n()
  const can = useCapabilities().data?.find((kind) => kind.kind === account.kind)
  if (!can?.calls) return null
  return account.kind === 'messenger' ? <Notice className="mb-5">{t('calling.messenger')}</Notice> : <CallingSwitch id={account.id} />
}

function CallingSwitch({ id }: { id: string }) {
  const { t } = useI18n()
  const state = useCalling(id)
  const change = useSetCalling(id)
  const error = change.error ?? state.error
  const { data } = state
  const refused = change.data?.result === 'rejected' ? (change.data.provider.error ?? change.data.exchange.error) : null
  return (
    <div className="mb-5">
      {error && (
        <Notice tone="danger" className="mb-3">
          {errorText(error)}
        </Notice>
      )}
      <Checkbox
        role="switch"
        label={t('calling.switch')}
        detail={t(data?.region_supported === false ? 'calling.hintRegion' : 'calling.hint')}
        checked={change.isPending ? change.variables : (data?.enabled ?? false)}
        disabled={!data}
        busy={change.isPending}
        onChange={(event) => change.mutate(event.target.checked)}
      />
      <div className="mt-3 empty:mt-0">
        {refused && <Notice tone="danger">{refused === 'not_available' ? t('calling.noExchange') : t('calling.refused', { words: refused })}</Notice>}
        {change.data?.result === 'ok' && <Notice tone="ok">{t(change.data.enabled ? 'calling.on' : 'calling.off')}</Notice>}
      </div>
    </div>
  )
}
