import { Link } from '@tanstack/react-router'
import { CornerUpRight, Megaphone, Phone, PhoneOff } from 'lucide-react'
import { useI18n } from '@/i18n'
import type { Item } from './conversations'
import { LinkedText } from './LinkedText'
import { priceText, readExtras, totalOf, type Order, type Referral } from './extras'

/** The message that another one answers, if it is loaded. */
export interface Quoted {
  item: Item
  name: string
}

interface Props {
  item: Item
  quoted: Quoted | undefined
}

/**
 * A message's text with the channel's extras: the message it answers, the ad it came from, an
 * order.
 */
export function MessageExtras({ item, quoted }: Props) {
  const { t } = useI18n()
  const { quotedId, forwarded, order, referral, product, calls } = readExtras(item.detail)
  return (
    <>
      {forwarded && (
        <p className="mb-1 flex items-center gap-1.5 text-sm text-ink-2 italic">
          <CornerUpRight aria-hidden className="size-3.5" />
          {t('extra.forwarded')}
        </p>
      )}
      {quotedId !== undefined && <Quote id={quotedId} quoted={quoted} />}
      {referral && <ReferralNote referral={referral} />}
      {product && <p className="mb-1 text-sm text-ink-2">{t('extra.product', { id: product })}</p>}
      {/* The body of an order repeats its lines, which are in the table. */}
      {calls ? (
        <p className="flex items-center gap-1.5">
          {calls === 'allowed' ? <Phone aria-hidden className="size-4" /> : <PhoneOff aria-hidden className="size-4" />}
          {t(calls === 'allowed' ? 'extra.callsAllowed' : 'extra.callsRefused')}
        </p>
      ) : (
        <LinkedText text={order ? order.text : item.body} />
      )}
      {order && <OrderTable order={order} />}
    </>
  )
}

const quoteLook = 'mb-1.5 block rounded-md border-l-3 border-accent bg-sunken px-2.5 py-1.5 text-sm text-ink-2'

function Quote({ id, quoted }: { id: string | null; quoted: Quoted | undefined }) {
  const { t } = useI18n()
  if (id === null) return <p className={quoteLook}>{t('extra.quotedElsewhere')}</p>
  return (
    <Link to="/inbox" search={(old) => ({ ...old, at: id })} className={`${quoteLook} hover:text-ink`}>
      <span className="sr-only">{t('extra.showQuoted')}</span>
      {quoted ? (
        <>
          <span className="block font-semibold text-ink">{quoted.name}</span>
          <span className="line-clamp-2">{quoted.item.deleted_at ? t('inbox.deletedMessage') : quoted.item.body || t('inbox.attachments')}</span>
        </>
      ) : (
        t('extra.quotedEarlier')
      )}
    </Link>
  )
}

function ReferralNote({ referral: { kind, headline, url } }: { referral: Referral }) {
  const { t } = useI18n()
  const title = t(kind === 'ad' ? 'extra.fromAd' : 'extra.fromPost')
  return (
    <p className={`${quoteLook} flex items-start gap-1.5`}>
      <Megaphone aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span>
        {title}
        {(headline || url) && ': '}
        {url ? (
          <a href={url} target="_blank" rel="noopener noreferrer" className="break-all text-accent-ink underline underline-offset-3">
            {headline || url}
          </a>
        ) : (
          headline
        )}
      </span>
    </p>
  )
}

function OrderTable({ order }: { order: Order }) {
  const { t } = useI18n()
  const total = totalOf(order)
  return (
    <table className="mt-1 w-full text-sm">
      <caption className="pb-1 text-left font-semibold">{t('extra.order')}</caption>
      <thead className="text-left text-ink-2">
        <tr>
          <th className="pr-4 font-normal">{t('extra.orderProduct')}</th>
          <th className="pr-4 text-right font-normal">{t('extra.orderQuantity')}</th>
          <th className="text-right font-normal">{t('extra.orderPrice')}</th>
        </tr>
      </thead>
      <tbody className="tabular-nums">
        {order.lines.map((line, index) => (
          <tr key={index}>
            <td className="pr-4 break-all">{line.product}</td>
            <td className="pr-4 text-right">{line.quantity}</td>
            <td className="text-right">{priceText(line.price, line.currency)}</td>
          </tr>
        ))}
      </tbody>
      {total && (
        <tfoot className="tabular-nums">
          <tr className="border-t border-line font-semibold">
            <th colSpan={2} scope="row" className="pt-1 text-left">
              {t('extra.orderTotal')}
            </th>
            <td className="pt-1 text-right">{priceText(total.sum, total.currency)}</td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}
