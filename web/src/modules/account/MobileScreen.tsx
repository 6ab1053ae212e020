import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Smartphone } from 'lucide-react'
import { api, ask } from '@/api/client'
import { errorText } from '@/api/message'
import { forgetSession } from '@/api/session'
import { useI18n } from '@/i18n'
import { deviceOf } from '@/lib/device'
import { useLinkToken } from '@/lib/linkToken'
import { AuthPage, ToSignIn } from '@/shell/AuthPage'
import { Button } from '@/ui/Button'
import { Notice } from '@/ui/Notice'

/**
 * The page behind a scanned or mailed QR code. A camera opens links automatically, so the person
 * must confirm first.
 */
export function MobileScreen() {
  const { t } = useI18n()
  const key = useLinkToken('key')
  const router = useRouter()
  const client = useQueryClient()
  const claim = useMutation({
    mutationFn: (known: string) => {
      const device = deviceOf(navigator.userAgent)
      const body = { key: known, device_name: device.name || t('devices.unnamed'), platform: device.platform || '–' }
      return ask(api.POST('/api/v1/auth/mobile-qr/claim', { body }))
    },
    onSuccess: async () => {
      forgetSession(client)
      await router.navigate({ to: '/', replace: true })
    },
  })
  const dead = !key || claim.isError
  return (
    <AuthPage title={t('mobile.title')} lead={dead ? undefined : t('mobile.lead')}>
      {dead && (
        <Notice tone="danger" className="mb-5">
          {claim.error ? errorText(claim.error) : t('mobile.missing')}
        </Notice>
      )}
      {!dead && (
        <Button look="primary" icon={Smartphone} busy={claim.isPending} onClick={() => claim.mutate(key)} className="h-10.5 w-full">
          {t('mobile.submit')}
        </Button>
      )}
      <ToSignIn />
    </AuthPage>
  )
}
