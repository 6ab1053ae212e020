import { useState } from 'react'
import { fieldText } from '@/api/message'
import { useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Checkbox, Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { moneyText, readMoney } from './money'
import { isOpen, readBankForm, useStartTopUp, useTopUp, type BankForm, type NewTopUp, type TopUp, type Wallet } from './wallet'

const buyerFields = ['name', 'surname', 'email', 'phone', 'identity_number', 'address', 'city', 'country'] as const
const cardFields = ['holder', 'number', 'expiry', 'cvc'] as const

const labels = {
  name: 'wallet.buyer.name',
  surname: 'wallet.buyer.surname',
  email: 'wallet.buyer.email',
  phone: 'wallet.buyer.phone',
  identity_number: 'wallet.buyer.identity',
  address: 'wallet.buyer.address',
  city: 'wallet.buyer.city',
  country: 'wallet.buyer.country',
  holder: 'wallet.card.holder',
  number: 'wallet.card.number',
  expiry: 'wallet.card.expiry',
  cvc: 'wallet.card.cvc',
} as const satisfies Record<(typeof buyerFields)[number] | (typeof cardFields)[number], PlainKey>

const autoComplete = { holder: 'cc-name', number: 'cc-number', expiry: 'cc-exp', cvc: 'cc-csc' } as const

/** Collects amount, card and buyer, and then leads to the bank's page. */
export function TopUpDrawer({ wallet, onClose }: { wallet: Wallet; onClose: () => void }) {
  const { t } = useI18n()
  const start = useStartTopUp()
  const [other, setOther] = useState(!wallet.has_buyer)
  const [complaint, setComplaint] = useState<'amount' | 'expiry' | null>(null)

  function submit(data: FormData) {
    const amount = readMoney(textOf(data, 'amount'))
    const expiry = /^(\d{1,2})\s*\/\s*(?:20)?(\d{2})$/.exec(textOf(data, 'expiry'))
    setComplaint(amount === null ? 'amount' : !expiry ? 'expiry' : null)
    if (amount === null || !expiry) return
    const body: NewTopUp = {
      amount_micros: amount,
      card: { holder: textOf(data, 'holder'), number: textOf(data, 'number').replace(/\s/g, ''), expiry_month: Number(expiry[1]), expiry_year: 2000 + Number(expiry[2]), cvc: textOf(data, 'cvc') },
    }
    if (other) body.buyer = Object.fromEntries(buyerFields.map((name) => [name, textOf(data, name)])) as NonNullable<NewTopUp['buyer']>
    start.mutate(body)
  }

  if (start.data) return <BankDialog id={start.data.id} form={readBankForm(start.data.html)} onClose={onClose} />
  const text = (name: keyof typeof labels, path: string) => (
    <Field key={name} label={t(labels[name])} error={(complaint === name && t('wallet.card.expiryWrong')) || fieldText(start.error, path, { invalid_card: 'wallet.card.wrong' })}>
      <Input name={name} autoComplete={name in autoComplete ? autoComplete[name as keyof typeof autoComplete] : 'on'} maxLength={200} required />
    </Field>
  )
  return (
    <FormDrawer
      title={t('wallet.topUp')}
      description={t('wallet.topUpLead')}
      action={t('wallet.pay')}
      busy={start.isPending}
      error={start.error}
      fields={['amount_micros', ...cardFields.map((name) => `card.${name}`), ...buyerFields.map((name) => `buyer.${name}`)]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('wallet.amount', { currency: wallet.currency })} error={(complaint === 'amount' && t('wallet.amountWrong')) || fieldText(start.error, 'amount_micros')}>
        <Input name="amount" inputMode="decimal" autoComplete="off" maxLength={10} defaultValue="100" required />
      </Field>
      {text('holder', 'card.holder')}
      {text('number', 'card.number')}
      <div className="grid grid-cols-2 gap-4">
        {text('expiry', 'card.expiry_month')}
        {text('cvc', 'card.cvc')}
      </div>
      {wallet.has_buyer && <Checkbox label={t('wallet.buyer.other')} checked={other} onChange={(event) => setOther(event.target.checked)} />}
      {other && buyerFields.map((name) => text(name, `buyer.${name}`))}
    </FormDrawer>
  )
}

const outcomes = {
  created: 'wallet.state.open',
  challenged: 'wallet.state.open',
  authenticated: 'wallet.state.completing',
  completing: 'wallet.state.completing',
  succeeded: 'wallet.state.succeeded',
  failed: 'wallet.state.failed',
  expired: 'wallet.state.expired',
  unknown: 'wallet.state.unknown',
} as const satisfies Record<TopUp['state'], PlainKey>

/** Opens the bank's page in a separate window, and waits for the result of the payment. */
function BankDialog({ id, form, onClose }: { id: string; form: BankForm | null; onClose: () => void }) {
  const { t } = useI18n()
  const topUp = useTopUp(id).data
  const open = !topUp || isOpen(topUp.state)
  return (
    <Dialog open onOpenChange={onClose} title={t('wallet.bank')} description={t('wallet.bankLead')} footer={<Button onClick={onClose}>{t('common.close')}</Button>}>
      <div className="flex flex-col gap-4">
        {!form && <Notice tone="danger">{t('wallet.bankMissing')}</Notice>}
        {form && open && (
          <form method="post" action={form.action} target="_blank" rel="noopener">
            {form.fields.map(([name, value], at) => (
              <input key={at} type="hidden" name={name} value={value} />
            ))}
            <Button look="primary" type="submit">
              {t('wallet.toBank')}
            </Button>
          </form>
        )}
        {topUp && (
          <Notice tone={topUp.state === 'succeeded' ? 'ok' : open ? 'info' : 'danger'}>
            {t(outcomes[topUp.state])} {topUp.state === 'succeeded' && moneyText(topUp.amount_micros, topUp.currency)} {topUp.detail}
          </Notice>
        )}
      </div>
    </Dialog>
  )
}
