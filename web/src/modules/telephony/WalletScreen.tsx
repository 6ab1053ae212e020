import { Wallet as WalletIcon } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { ListView, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { buttonClass } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { Fact } from '@/ui/Fact'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import type { Column } from '@/ui/Table'
import { moneyText } from './money'
import { TopUpDrawer } from './TopUpDrawer'
import { useWallet, useWalletEntries, type WalletEntry } from './wallet'

const kinds = {
  topup: 'wallet.kind.topup',
  hold: 'wallet.kind.hold',
  settle: 'wallet.kind.settle',
  release: 'wallet.kind.release',
  adjustment: 'wallet.kind.adjustment',
} as const satisfies Record<WalletEntry['kind'], PlainKey>

const purposes = {
  card: 'wallet.purpose.card',
  numbers: 'wallet.purpose.numbers',
  speech: 'wallet.purpose.speech',
  calls: 'wallet.purpose.calls',
  operator: 'wallet.purpose.operator',
} as const satisfies Record<WalletEntry['purpose'], PlainKey>

const day = 24 * 3600 * 1000

/**
 * Returns the download address of the statement of the last ninety days, including changes made
 * while the page is open.
 */
function statementAddress(now: Date): string {
  const from = new Date(now.getTime() - 90 * day)
  const to = new Date(now.getTime() + day)
  return `/api/crm/v1/telephony/wallet/statement?${new URLSearchParams({ from: from.toISOString(), to: to.toISOString() }).toString()}`
}

/** The call credit, its changes, and the way to top it up. */
export function WalletScreen() {
  const { t } = useI18n()
  const canPay = meets(useMe(), { permission: 'crm.wallet.manage' })
  const query = useWallet()
  const entries = useWalletEntries()
  const [paying, setPaying] = useState(false)
  const [statement] = useState(() => statementAddress(new Date()))
  const add = useAdd('wallet.topUp', canPay, () => setPaying(true))
  const wallet = query.data
  const amount = (micros: number) => moneyText(micros, wallet?.currency ?? 'TRY')
  const columns: Column<WalletEntry>[] = [
    { id: 'what', header: t('wallet.what'), cell: (row) => <span className="font-medium">{t(purposes[row.purpose])}</span> },
    { id: 'kind', header: t('wallet.kind'), wide: true, cell: (row) => t(kinds[row.kind]) },
    { id: 'available', header: t('wallet.available'), cell: (row) => <span className="tabular-nums">{amount(row.available_micros)}</span> },
    { id: 'held', header: t('wallet.held'), wide: true, cell: (row) => <span className="tabular-nums">{amount(row.held_micros)}</span> },
    { id: 'at', header: t('calls.at'), wide: true, cell: (row) => <Ago at={row.at} /> },
  ]
  return (
    <>
      <PageHeader
        title={t('wallet.title')}
        lead={t('wallet.lead')}
        actions={
          <>
            <a href={statement} download="statement.csv" className={buttonClass()}>
              {t('wallet.statement')}
            </a>
            {add}
          </>
        }
      />
      <QueryState isPending={query.isPending} error={query.error} isEmpty={false} empty={null} retry={() => void query.refetch()}>
        {wallet && (
          <Card className="mb-4">
            {wallet.available_micros < wallet.low_threshold_micros && (
              <Notice tone="warn" className="mb-4">
                {t('wallet.low')}
              </Notice>
            )}
            <dl className="grid gap-2">
              <Fact label={t('wallet.available')}>{amount(wallet.available_micros)}</Fact>
              <Fact label={t('wallet.held')}>{amount(wallet.held_micros)}</Fact>
            </dl>
          </Card>
        )}
      </QueryState>
      <ListView label={t('wallet.entries')} list={entries} columns={columns} empty={{ icon: WalletIcon, title: t('wallet.empty.title'), text: t('wallet.empty.text') }} />
      {paying && wallet && <TopUpDrawer wallet={wallet} onClose={() => setPaying(false)} />}
    </>
  )
}
