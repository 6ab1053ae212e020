import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { withCaptcha } from '@/api/captcha'
import { api, ask } from '@/api/client'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { authLink } from '@/shell/AuthPage'
import { Button } from '@/ui/Button'
import { Notice } from '@/ui/Notice'

export function useResend() {
  return useMutation({
    mutationFn: (email: string) =>
      withCaptcha((captcha_token) => ask(api.POST('/api/v1/auth/email/verify/resend', { body: { email, captcha_token } }))),
  })
}

/** Sends the mail again, to the address that was just entered. */
export function Resend({ email }: { email: string }) {
  const { t } = useI18n()
  const resend = useResend()
  return (
    <div className="flex flex-col items-start gap-5">
      {resend.isSuccess && <Notice tone="ok">{t('verify.sentAgain')}</Notice>}
      {resend.error && <Notice tone="danger">{errorText(resend.error)}</Notice>}
      <p className="text-sm text-ink-2">{t('signUp.sent.hint')}</p>
      <Button busy={resend.isPending} onClick={() => resend.mutate(email)}>
        {t('verify.again')}
      </Button>
      <Link to="/sign-in" className={authLink}>
        {t('auth.toSignIn')}
      </Link>
    </div>
  )
}
