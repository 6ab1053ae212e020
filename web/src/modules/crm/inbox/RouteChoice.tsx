import { LayoutTemplate } from 'lucide-react'
import { useI18n, type PlainKey } from '@/i18n'
import { Button } from '@/ui/Button'
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
      {!route && <option value="">{t('inbox.route.nowhere')}</option>}
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

interface RouteNoteProps {
  routes: readonly ReplyChannel[]
  unreachable: boolean
  onTemplates: (() => void) | null
}

/** Explains why the conversation's own channel accepts nothing now, and what can be done. */
export function RouteNote({ routes, unreachable, onTemplates }: RouteNoteProps) {
  const { t } = useI18n()
  const shut = routes.find((entry) => entry.kind === 'conversation' && entry.reason === 'window_closed')
  if (!shut && !unreachable) return null
  const left = onTemplates && shut ? t('inbox.route.shutTemplate') : shut ? t('inbox.route.shutNote') : t('inbox.route.unreachable')
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-warn-ink">
      <p className="min-w-0 flex-1 basis-64">
        {shut && `${t('inbox.route.shut', { channel: channelName(shut.channel) })} `}
        {unreachable ? left : t('inbox.route.shutOther')}
      </p>
      {shut && onTemplates && (
        <Button size="sm" look="primary" icon={LayoutTemplate} onClick={onTemplates}>
          {t('inbox.template')}
        </Button>
      )}
    </div>
  )
}
