import { Ellipsis, Hash, Pencil, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { errorText, fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { countryName } from '@/lib/languageName'
import { useSettled } from '@/lib/settled'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Badge, type Tone } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Drawer } from '@/ui/Dialog'
import { EmptyState } from '@/ui/EmptyState'
import { FailureText } from '@/ui/FailureText'
import { Field, Input, Select } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Menu, MenuItem } from '@/ui/Menu'
import { Notice } from '@/ui/Notice'
import { QueryState } from '@/ui/QueryState'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { moneyText } from './money'
import { useBuyNumber, useDefaultNumber, useNumbers, useOffers, useReleaseNumber, useRenameNumber, type PhoneNumber } from './numbers'
import { useWallet } from './wallet'

const states = {
  pending: { label: 'numbers.state.pending', tone: 'accent' },
  active: { label: 'numbers.state.active', tone: 'ok' },
  suspended: { label: 'numbers.state.suspended', tone: 'danger' },
  released: { label: 'numbers.state.released', tone: 'neutral' },
} as const satisfies Record<PhoneNumber['status'], { label: PlainKey; tone: Tone }>

/** Lists the workspace's bought numbers. */
export function NumbersScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.telephony.manage' })
  const list = useNumbers()
  const choose = useDefaultNumber()
  const release = useReleaseNumber()
  const [layer, setLayer] = useState<{ what: 'buy' } | { what: 'rename' | 'release'; row: PhoneNumber } | null>(null)
  const close = () => setLayer(null)
  const add = useAdd('numbers.buy', canManage, () => setLayer({ what: 'buy' }))
  const columns: Column<PhoneNumber>[] = [
    {
      id: 'number',
      header: t('calls.number'),
      cell: (row) => (
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium tabular-nums">{row.e164}</span>
          {row.is_default && <Badge tone="accent">{t('numbers.default')}</Badge>}
        </span>
      ),
    },
    { id: 'label', header: t('numbers.label'), wide: true, cell: (row) => row.label },
    {
      id: 'state',
      header: t('common.status'),
      cell: (row) => (
        <Badge dot tone={states[row.status].tone}>
          {t(states[row.status].label)}
        </Badge>
      ),
    },
    { id: 'renews', header: t('numbers.renews'), wide: true, cell: (row) => row.renews_at && formatDateTime(row.renews_at) },
  ]
  const rowActions = (row: PhoneNumber) => (
    <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: row.e164 })} />}>
      <MenuItem icon={Pencil} onSelect={() => setLayer({ what: 'rename', row })}>
        {t('numbers.rename')}
      </MenuItem>
      {row.status === 'active' && !row.is_default && (
        <MenuItem icon={Star} onSelect={() => choose.mutate(row.id, { onError: (error) => toast('danger', t('calls.failed'), errorText(error)) })}>
          {t('numbers.makeDefault')}
        </MenuItem>
      )}
      <MenuItem icon={Trash2} onSelect={() => setLayer({ what: 'release', row })}>
        {t('numbers.release')}
      </MenuItem>
    </Menu>
  )
  return (
    <>
      <ListPage
        title={t('numbers.title')}
        lead={t('numbers.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={canManage && rowActions}
        empty={{ icon: Hash, title: t('numbers.empty.title'), text: t('numbers.empty.text') }}
      />
      {layer?.what === 'buy' && <BuyDrawer onClose={close} />}
      {layer?.what === 'rename' && <RenameDialog row={layer.row} onClose={close} />}
      {layer?.what === 'release' && (
        <ConfirmAct
          act={release}
          on={layer.row.id}
          title={t('numbers.releaseTitle')}
          action={t('numbers.release')}
          done={t('numbers.released', { number: layer.row.e164 })}
          onClose={close}
        >
          {t('numbers.releaseText', { number: layer.row.e164 })}
        </ConfirmAct>
      )}
    </>
  )
}

/** Lists numbers that can be bought, with their monthly price. */
function BuyDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const [country, setCountry] = useState('TR')
  const [type, setType] = useState<PhoneNumber['type']>('local')
  const [contains, setContains] = useState('')
  const offers = useOffers({ country, type, contains: useSettled(contains) })
  const currency = useWallet().data?.currency ?? 'TRY'
  const buy = useBuyNumber()

  return (
    <Drawer open onOpenChange={onClose} title={t('numbers.buy')} description={t('numbers.buyLead')} footer={<Button onClick={onClose}>{t('common.close')}</Button>}>
      <div className="mb-4 grid gap-4 sm:grid-cols-3">
        <Field label={t('numbers.country')}>
          <Select value={country} onChange={(event) => setCountry(event.target.value)}>
            {['TR', 'DE', 'GB', 'NL', 'US'].map((code) => (
              <option key={code} value={code}>
                {countryName(code)}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('numbers.type')}>
          <Select value={type} onChange={(event) => setType(event.target.value as PhoneNumber['type'])}>
            <option value="local">{t('numbers.type.local')}</option>
            <option value="mobile">{t('numbers.type.mobile')}</option>
            <option value="toll_free">{t('numbers.type.tollFree')}</option>
          </Select>
        </Field>
        <Field label={t('numbers.contains')} optional>
          <Input inputMode="numeric" maxLength={10} value={contains} onChange={(event) => setContains(event.target.value.replace(/\D/g, ''))} />
        </Field>
      </div>
      {buy.error && (
        <Notice tone="danger" className="mb-4">
          <FailureText error={buy.error} />
        </Notice>
      )}
      <QueryState
        isPending={offers.isPending}
        error={offers.error}
        isEmpty={offers.data?.length === 0}
        empty={<EmptyState icon={Hash} title={t('numbers.noOffers')}>{t('numbers.noOffersText')}</EmptyState>}
        retry={() => void offers.refetch()}
      >
        <ul className="flex flex-col divide-y divide-line">
          {offers.data?.map((offer) => (
            <li key={offer.e164} className="flex items-center gap-3 py-2.5">
              <span className="min-w-0 flex-1">
                <span className="font-medium tabular-nums">{offer.e164}</span> <span className="text-ink-2">{offer.locality}</span>
              </span>
              <span className="text-sm text-ink-2 tabular-nums">{t('numbers.perMonth', { price: moneyText(offer.monthly_fee_micros, currency) })}</span>
              <Button
                size="sm"
                aria-label={t('numbers.buyOne', { number: offer.e164 })}
                busy={buy.isPending && buy.variables.e164 === offer.e164}
                onClick={() =>
                  buy.mutate(
                    { e164: offer.e164 },
                    {
                      onSuccess: () => {
                        toast('ok', t('numbers.bought', { number: offer.e164 }))
                        onClose()
                      },
                    },
                  )
                }
              >
                {t('numbers.buyShort')}
              </Button>
            </li>
          ))}
        </ul>
      </QueryState>
    </Drawer>
  )
}

function RenameDialog({ row, onClose }: { row: PhoneNumber; onClose: () => void }) {
  const { t } = useI18n()
  const rename = useRenameNumber()
  return (
    <FormDialog
      title={t('numbers.rename')}
      busy={rename.isPending}
      error={rename.error}
      fields={['label']}
      onSubmit={(data) => rename.mutate({ id: row.id, label: textOf(data, 'label') }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field label={t('numbers.label')} error={fieldText(rename.error, 'label')}>
        <Input name="label" autoComplete="off" maxLength={100} defaultValue={row.label} />
      </Field>
    </FormDialog>
  )
}
