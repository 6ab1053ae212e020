import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { useStore } from '@/lib/store'
import { activity } from '@/live/LiveUpdates'
import { streamState } from '@/live/stream'
import { entriesFor, installedModules } from '@/modules/module'
import { activeShortcuts } from '@/shell/shortcuts'
import { Ago } from '@/ui/Ago'
import { Badge, Code } from '@/ui/Badge'
import { Card } from '@/ui/Card'
import { Kbd } from '@/ui/Kbd'
import { PageHeader } from '@/ui/PageHeader'
import { eventWords } from './eventWords'
import { FirstSteps } from './FirstSteps'

export function HomeScreen() {
  const { t } = useI18n()
  const me = useMe()
  return (
    <>
      <PageHeader title={t('home.hello', { name: me.user.name })} lead={t('home.lead')} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <FirstSteps />
          <ScreenCards />
          <KeysCard />
        </div>
        <ActivityCard />
      </div>
    </>
  )
}

function ScreenCards() {
  const { t } = useI18n()
  const me = useMe()
  const cards = installedModules().flatMap((module) =>
    entriesFor(module, me)
      .filter((entry) => entry.path !== '/')
      .map((entry) => ({ ...entry, group: module.title })),
  )
  if (cards.length === 0) return <p className="text-sm text-ink-2">{t('home.nothing')}</p>
  return (
    <ul className="grid gap-5 sm:grid-cols-2">
      {cards.map((card) => (
        <li key={card.path} className="flex">
          <Link
            to={card.path}
            className="group flex w-full flex-col rounded-lg border border-line bg-surface p-5 shadow-1 transition-colors hover:border-accent"
          >
            <span className="mb-4 flex items-center gap-3">
              <span className="flex size-10 items-center justify-center rounded-lg bg-accent-soft text-accent-ink">
                <card.icon aria-hidden className="size-5" strokeWidth={1.8} />
              </span>
              <span className="text-[13px] text-ink-3">{t(card.group)}</span>
            </span>
            <span className="flex items-center gap-2 font-semibold">
              {t(card.title)}
              <ArrowRight aria-hidden className="size-4 text-accent-ink transition-transform group-hover:translate-x-0.5" />
            </span>
            <span className="mt-1.5 text-sm text-ink-2">{t(card.lead)}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

function KeysCard() {
  const { t } = useI18n()
  const shortcuts = useStore(activeShortcuts)
  return (
    <Card title={t('home.keys.title')} className="hidden sm:block">
      <dl className="grid grid-cols-2 gap-x-8 gap-y-2.5 text-sm">
        {shortcuts.map((shortcut) => (
          <div key={shortcut.keys} className="flex items-center justify-between gap-3">
            <dt className="text-ink-2">{t(shortcut.label)}</dt>
            <dd>
              <Kbd keys={shortcut.keys.split(/[ +]/)} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
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
            <li key={entry.id} className="flex items-baseline justify-between gap-3 text-[13px]">
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
