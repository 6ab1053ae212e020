import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, X } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '@/api/client'
import { meets, useMe, type Need } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { recall, remember } from '@/lib/storage'
import { IconButton } from '@/ui/Button'
import { Card } from '@/ui/Card'

interface Step {
  id: 'channel' | 'agents' | 'answer'
  to: '/crm/channels' | '/crm/agents' | '/inbox'
  title: PlainKey
  text: PlainKey
  need: Need
}

const steps: readonly Step[] = [
  {
    id: 'channel',
    to: '/crm/channels',
    title: 'home.first.channel',
    text: 'home.first.channelText',
    need: { permission: 'crm.channels.manage', licence: 'crm' },
  },
  { id: 'agents', to: '/crm/agents', title: 'home.first.agents', text: 'home.first.agentsText', need: { permission: 'crm.agents.manage', licence: 'crm' } },
  { id: 'answer', to: '/inbox', title: 'home.first.answer', text: 'home.first.answerText', need: { permission: 'crm.conversations.reply', licence: 'crm' } },
]

/** Returns the steps already taken: the first rows of each list suffice to know. */
async function taken(mine: readonly Step[]): Promise<Set<Step['id']>> {
  const query = { limit: 2 }
  const looks: Record<Step['id'], () => Promise<boolean>> = {
    channel: () => ask(api.GET('/api/crm/v1/channels', { params: { query } })).then(({ data }) => data.length > 0),
    agents: () => ask(api.GET('/api/crm/v1/agents', { params: { query } })).then(({ data }) => data.length > 1),
    answer: () => ask(api.GET('/api/crm/v1/conversations', { params: { query } })).then(({ data }) => data.length > 0),
  }
  const answers = await Promise.all(mine.map((step) => looks[step.id]()))
  return new Set(mine.filter((_, index) => answers[index]).map((step) => step.id))
}

/** The first steps of a new workspace; hidden once they are done or dismissed. */
export function FirstSteps() {
  const { t } = useI18n()
  const me = useMe()
  const [hidden, setHidden] = useState(() => recall('firstSteps') === 'done')
  const mine = steps.filter((step) => meets(me, step.need))
  const done = useQuery({
    queryKey: ['crm', 'firstSteps'],
    queryFn: () => taken(mine),
    enabled: !hidden && mine.length > 0,
    staleTime: 0,
  }).data
  if (hidden || !done || mine.every((step) => done.has(step.id))) return null

  function hide() {
    remember('firstSteps', 'done')
    setHidden(true)
  }

  return (
    <Card title={t('home.first.title')} action={<IconButton icon={X} label={t('home.first.hide')} onClick={hide} className="-my-2 -mr-2" />}>
      <ol className="flex flex-col gap-3">
        {mine.map((step) => {
          const ready = done.has(step.id)
          const Mark = ready ? CircleCheck : CircleDashed
          return (
            <li key={step.id} className="flex gap-3 text-sm">
              <Mark aria-hidden className={ready ? 'mt-0.5 size-5 shrink-0 text-ok-ink' : 'mt-0.5 size-5 shrink-0 text-ink-3'} strokeWidth={1.8} />
              <div className="min-w-0">
                <Link to={step.to} className="inline-flex min-h-6 items-center font-medium text-accent-ink underline-offset-3 hover:underline">
                  {t(step.title)}
                </Link>
                {ready ? <span className="ml-2 text-sm text-ink-3">{t('home.first.done')}</span> : <p className="text-ink-2">{t(step.text)}</p>}
              </div>
            </li>
          )
        })}
      </ol>
    </Card>
  )
}
