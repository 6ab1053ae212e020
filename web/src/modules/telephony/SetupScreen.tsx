import { Link } from '@tanstack/react-router'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { buttonClass } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { Step } from '@/ui/Step'
import { usePhoneSetup } from './phoneSettings'
import { usePhoneTeam } from './phones'
import { useWallet } from './wallet'

interface Part {
  title: PlainKey
  text: PlainKey
  to: string
  done: boolean
}

/** Leads to the first call: credit, a number or a line, phones, and what callers hear. */
export function SetupScreen() {
  const { t } = useI18n()
  const setup = usePhoneSetup()
  const me = useMe()
  const seesWallet = meets(me, { permission: 'crm.wallet.view' })
  const wallet = useWallet(seesWallet).data
  const team = usePhoneTeam()
  const state = setup.data
  const parts: Part[] = state
    ? [
        ...(seesWallet ? [{ title: 'phoneSetup.credit', text: 'phoneSetup.credit.text', to: '/settings/wallet', done: (wallet?.available_micros ?? 0) > 0 } as const] : []),
        { title: 'phoneSetup.number', text: state.outside_line.state === 'ready' ? 'phoneSetup.number.text' : 'phoneSetup.number.noLine', to: '/settings/phone-numbers', done: state.number.state === 'active' },
        { title: 'phoneSetup.line', text: 'phoneSetup.line.text', to: '/settings/phone-line', done: state.line.state === 'registered' || state.line.state === 'ready' },
        { title: 'phoneSetup.phones', text: 'phoneSetup.phones.text', to: '/settings/phones', done: team.rows.some((row) => row.registered) },
        { title: 'phoneSetup.hours', text: 'phoneSetup.hours.text', to: '/settings/phone-settings', done: false },
        { title: 'phoneSetup.greetings', text: 'phoneSetup.greetings.text', to: '/settings/greetings', done: false },
      ]
    : []
  return (
    <>
      <PageHeader title={t('phoneSetup.title')} lead={t('phoneSetup.lead')} />
      <QueryState isPending={setup.isPending} error={setup.error} isEmpty={false} empty={null} retry={() => void setup.refetch()}>
        {state && (
          <Card>
            <Notice tone={state.ready ? 'ok' : 'info'} className="mb-5">
              {t(state.ready ? 'phoneSetup.ready' : 'phoneSetup.notReady')}
            </Notice>
            <div className="flex flex-col gap-4">
              {parts.map((part, at) => (
                <Step key={part.to} number={at + 1} title={t(part.title)} text={t(part.text)}>
                  <div className="flex items-center gap-3">
                    <Link to={part.to} className={buttonClass('secondary', 'sm')}>
                      {t('phoneSetup.open')}
                    </Link>
                    {part.done && (
                      <Badge dot tone="ok">
                        {t('phoneSetup.done')}
                      </Badge>
                    )}
                  </div>
                </Step>
              ))}
            </div>
          </Card>
        )}
      </QueryState>
    </>
  )
}
