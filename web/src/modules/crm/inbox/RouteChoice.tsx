import { useI18n, type PlainKey } from '@/i18n'
import { Select } from '@/ui/Field'
import { channelName } from './channels'
import type { ReplyChannel } from './conversations'

const reasons: Record<string, PlainKey> = {
  not_connected: 'inbox.route.notConnected',
  no_route: 'inbox.route.none',
  window_closed: 'inbox.route.windowClosed',
}

export function keyOf(route: ReplyChannel): string {
  return [route.kind, route.channel, route.channel_account_id, route.address].join(' ')
}

interface RouteChoiceProps {
  routes: readonly ReplyChannel[]
  route: ReplyChannel | null
  onChoose: (key: string) => void
}

export function RouteChoice({ routes, route, onChoose }: RouteChoiceProps) {
  const { t } = useI18n()
  return (
    <Select
      aria-label={t('inbox.route')}
      value={route ? keyOf(route) : ''}
      onChange={(event) => onChoose(event.target.value)}
      className="h-8.5 w-auto max-w-full min-w-0 flex-1 sm:max-w-72 sm:flex-none"
    >
      {!route && <option value="">{t('inbox.route.none')}</option>}
      {routes.map((entry) => {
        const reason = entry.reason ? (reasons[entry.reason] ?? null) : null
        return (
          <option key={keyOf(entry)} value={keyOf(entry)} disabled={!entry.available}>
            {[channelName(entry.channel), entry.address, reason && t(reason)].filter(Boolean).join(' · ')}
          </option>
        )
      })}
    </Select>
  )
}
