import { useMutation } from '@tanstack/react-query'
import { withCaptcha } from '@/api/captcha'
import { api, ask } from '@/api/client'
import { useI18n } from '@/i18n'
import { EmailForm } from './EmailForm'

export function ForgotScreen() {
  const { t } = useI18n()
  const forgot = useMutation({
    mutationFn: (email: string) =>
      withCaptcha((captcha_token) => ask(api.POST('/api/v1/auth/password/forgot', { body: { email, captcha_token } }))),
  })
  return <EmailForm title={t('forgot.title')} lead={t('forgot.lead')} action={t('forgot.submit')} sent={t('forgot.sent')} send={forgot} />
}
