import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { useStore } from '@/lib/store'
import { activity } from '@/live/LiveUpdates'
import { streamState } from '@/live/stream'
import { dailyEntries } from '@/modules/module'
import { Ago } from '@/ui/Ago'
import { Badge, Code } from '@/ui/Badge'
import { Card } from '@/ui/Card'
import { PageHeader } from '@/ui/PageHeader'
import { eventWords } from './eventWords'
import { FirstSteps } from './FirstSteps'
import { ManagerCards } from './ManagerCards'
import { QueueCard } from './QueueCard'

/** Shows agents their queue, and managers also what happens in the workspace. */
export function HomeScreen() {
  const { t } = useI18n()
  const me = useMe()
  const answers = meets(me, { permission: 'crm.conversations.view', licence: 'crm' })
  const manages = meets(me, { permission: 'crm.reports.view', licence: 'crm' })
  const nothing = !answers && dailyEntries(me).length <= 1
  return (
    <>
      <PageHeader title={t('home.hello', { name: me.user.name })} lead={t('home.lead')} />
      <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <FirstSteps />
          {nothing && <p className="text-sm text-ink-2">{t('home.nothing')}</p>}
          {answers && manages && <ManagerCards />}
          {answers && <QueueCard />}
        </div>
        <ActivityCard />
      </div>
    </>
  )
}

function ActivityCard() {
  const { t } = useI18n()
  const entries = useStore(activity)
  const open = useStore(streamState) === 'open'
  return (
    <Card
      title={t('home.activity.title')}
      action={
        <Badge dot tone={open ? 'ok' : 'warn'}>
          {open ? t('home.activity.live') : t('home.activity.waiting')}
        </Badge>
      }
    >
      {entries.length === 0 ? (
        <p className="text-sm text-ink-2">{t('home.activity.empty')}</p>
      ) : (
        <ol className="flex flex-col gap-2.5">
          {entries.map((entry) => (
            <li key={entry.id} className="flex items-baseline justify-between gap-3 text-sm">
              <EventName type={entry.type} />
              <Ago at={entry.at} className="text-ink-3" />
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

function EventName({ type }: { type: string }) {
  const { t } = useI18n()
  const words = eventWords[type]
  return words ? <span title={type}>{t(words)}</span> : <Code>{type}</Code>
}
