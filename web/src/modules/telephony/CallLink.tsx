import type { ReactNode } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { toast } from '@/ui/Toast'
import { usePlaceCall, type CallTarget } from './placeCall'

interface CallLinkProps extends CallTarget {
  className?: string
  children: ReactNode
}

/**
 * Calls a number over the workspace's telephony, ringing the person's own phone first; without
 * telephony the device's own dialler is used.
 */
export function CallLink({ className, children, ...target }: CallLinkProps) {
  const { t } = useI18n()
  const place = usePlaceCall()
  const has = meets(useMe(), { permission: 'crm.calls.make', licence: 'telephony', orLicence: 'telephony_line' })
  if (!has) {
    return (
      <a href={`tel:${target.to}`} className={className}>
        {children}
      </a>
    )
  }
  return (
    <button
      type="button"
      className={className}
      disabled={place.isPending}
      title={t('inbox.call.place', { number: target.to })}
      onClick={() =>
        place.mutate(target, {
          onSuccess: () => toast('ok', t('inbox.call.placed')),
          onError: (error) => toast('danger', t('inbox.call.failed'), errorText(error)),
        })
      }
    >
      {children}
    </button>
  )
}
